package kv.workloads;

import java.util.SplittableRandom;
import kv.store.CaseSpec;

/**
 * The operations of one thread in a {@link Mix}, drawn before any clock starts, the same in each
 * pass and for every store; and what is noted of each while it runs.
 */
final class MixDraw {

    /** What an operation does. */
    enum Kind {
        READ,
        UPDATE,
        INSERT,
        SCAN,
        MODIFY;

        boolean updates() {
            return this == UPDATE || this == MODIFY;
        }

        boolean writes() {
            return updates() || this == INSERT;
        }
    }

    private static final int LONGEST_SCAN = 100; // YCSB's

    final Kind[] kinds;
    /** Positions of loaded entries; from the number of those on, inserts of this thread. */
    final int[] items;
    /** Entries that a scan is to give, at most. */
    final int[] limits;
    /** How many entries are inserted. */
    final int inserts;
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
        int most = 0;
        for (int i = 0; i < operations; i++) {
            Kind kind = kind(recipe, random.nextDouble());
            // An entry is overwritten by one thread only
            boolean foreign = kind.updates() && thread >= spec.entries();
            kinds[i] = foreign ? Kind.READ : kind;
            items[i] = switch (kinds[i]) {
                case READ -> entries.any(inserted);
                case INSERT -> spec.entries() + inserted++;
                case SCAN -> entries.loaded();
                case UPDATE, MODIFY -> entries.own(thread, threads);
            };
            limits[i] = kind == Kind.SCAN ? 1 + random.nextInt(LONGEST_SCAN) : 1;
            most += limits[i];
        }
        inserts = inserted;
        room = most;
    }

    private static Kind kind(Mix.Recipe recipe, double drawn) {
        double left = drawn - recipe.reads();
        if (left < 0) {
            return Kind.READ;
        }
        if ((left -= recipe.updates()) < 0) {
            return Kind.UPDATE;
        }
        if ((left -= recipe.inserts()) < 0) {
            return Kind.INSERT;
        }
        return left - recipe.scans() < 0 ? Kind.SCAN : Kind.MODIFY;
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

        /** One that was loaded, or inserted: as many are as it says. */
        int any(int inserted) {
            return choice == Mix.Choice.LATEST
                    ? loaded + inserted - 1 - (int) zipfian.draw(random)
                    : loaded();
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
