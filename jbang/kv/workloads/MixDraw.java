package kv.workloads;

import java.util.SplittableRandom;
import kv.store.CaseSpec;
import kv.workloads.Mix.Kind;

/**
 * The operations of one thread in a {@link Mix}, drawn before any clock starts, the same in each
 * pass and for every store; and what is noted of each while it runs.
 */
final class MixDraw {

    final Kind[] kinds;
    /** Positions of loaded entries; from the number of those on, inserts of this thread. */
    final int[] items;
    /** Entries that a scan is to give, at most. */
    final int[] limits;
    /** How many entries are inserted, and how many of these, the first ones, deleted again. */
    final int inserts;

    final int deletes;
    /** How many entries may come, all operations together. */
    final int room;

    /** What was acknowledged before each began: times of its entry, or inserts, for a scan. */
    final int[] known;
    /** How many entries had come when each had ended. */
    final int[] came;
    /** When each had ended, in ns. */
    final long[] ended;

    MixDraw(Mix.Recipe recipe, CaseSpec spec, int thread, int threads, int operations) {
        kinds = new Kind[operations];
        items = new int[operations];
        limits = new int[operations];
        known = new int[operations];
        came = new int[operations];
        ended = new long[operations];
        SplittableRandom random = new SplittableRandom(spec.seed() + thread);
        Entries entries = new Entries(recipe.choice(), spec.entries(), random);
        int inserted = 0;
        int deleted = 0;
        int most = 0;
        for (int i = 0; i < operations; i++) {
            Kind kind = kind(recipe, random.nextDouble());
            if (kind == Kind.DELETE && deleted == inserted) {
                kind = Kind.INSERT;
            } else if (kind.updates() && thread >= spec.entries()) {
                kind = Kind.READ; // an entry is overwritten by one thread only
            }
            kinds[i] = kind;
            items[i] = switch (kind) {
                case READ -> entries.any(deleted, inserted);
                case INSERT -> spec.entries() + inserted++;
                case DELETE -> spec.entries() + deleted++;
                case SCAN, FLOOR -> entries.loaded();
                case UPDATE, MODIFY -> entries.own(thread, threads);
            };
            limits[i] = kind == Kind.SCAN
                    ? random.nextInt(recipe.shortestScan(), recipe.longestScan() + 1)
                    : 1;
            most += limits[i];
        }
        inserts = inserted;
        deletes = deleted;
        room = most;
    }

    private static Kind kind(Mix.Recipe recipe, double drawn) {
        double left = drawn;
        Kind last = null;
        for (Kind kind : Kind.values()) { // in one order, whatever that of the shares
            if (recipe.has(kind)) {
                last = kind;
                left -= recipe.shares().get(kind);
                if (left < 0) {
                    break;
                }
            }
        }
        return last; // also of what rounding left of 1
    }

    /** Draws entries by the mix's choice. */
    private static final class Entries {

        private final Mix.Choice choice;
        private final int loaded;
        private final SplittableRandom random;
        private final Zipfian zipfian; // null for a uniform choice

        Entries(Mix.Choice choice, int loaded, SplittableRandom random) {
            this.choice = choice;
            this.loaded = loaded;
            this.random = random;
            zipfian = switch (choice) {
                case UNIFORM -> null;
                case ZIPFIAN -> Zipfian.scrambled();
                case LATEST -> Zipfian.of(loaded);
            };
        }

        /** One that was loaded or, of so many that were inserted, is not deleted. */
        int any(int deleted, int inserted) {
            int latest = choice == Mix.Choice.LATEST
                    ? loaded + inserted - 1 - (int) zipfian.draw(random)
                    : loaded();
            return latest < loaded || latest >= loaded + deleted ? latest : loaded();
        }

        int loaded() {
            return switch (choice) {
                case UNIFORM -> random.nextInt(loaded);
                case ZIPFIAN -> zipfian.draw(random, loaded);
                case LATEST -> loaded - 1 - (int) zipfian.draw(random);
            };
        }

        /** One that this thread overwrites, and no other does. */
        int own(int thread, int threads) {
            int position;
            do {
                position = loaded();
            } while (position % threads != thread);
            return position;
        }
    }
}
