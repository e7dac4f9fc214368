package kv.workloads;

import java.util.SplittableRandom;
import java.util.function.IntFunction;
import kv.bench.Passes;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Store;

/**
 * Delete half of the entries, chosen and ordered at random, and write them again with new values,
 * the one deleted last first. What comes after it finds all entries.
 */
public final class Churn extends DeleteRounds {

    public Churn() {
        super(Leaves.AN_AGED_ONE);
    }

    @Override
    Rounds rounds(Passes passes, int rounds) {
        return new AtRandom(passes);
    }

    private static final class AtRandom extends Rounds {

        private final SplittableRandom random;
        private final Overwrites overwrites;
        private int[] positions; // of which the first half is deleted

        AtRandom(Passes passes) {
            super(passes);
            this.random = new SplittableRandom(data.spec.seed());
            this.overwrites = data.overwrites();
        }

        @Override
        public void before() {
            positions = DeleteHalf.shuffled(data, random);
        }

        @Override
        void delete(Store.Writer writer) throws Exception {
            EntryFlyweight entry = data.entry();
            for (int turn = 0; turn < half; turn++) {
                writer.delete(entry.at(positions[turn]));
            }
        }

        @Override
        void write(Store.Writer writer) throws Exception {
            EntryFlyweight entry = data.entry();
            for (int turn = half - 1; turn >= 0; turn--) {
                int position = positions[turn];
                writer.put(entry.at(position, overwrites.times(position) + 1));
            }
        }

        @Override
        void checkDeleted(Store.Reader reader) throws Exception {
            IntFunction<EntryFlyweight> newest = data.newest();
            check(
                    reader,
                    positions.length,
                    turn -> newest.apply(positions[turn]),
                    turn -> turn >= half);
        }

        @Override
        void checkWritten(Store.Reader reader) throws Exception {
            for (int turn = 0; turn < half; turn++) {
                overwrites.acknowledge(positions[turn]);
            }
            IntFunction<EntryFlyweight> newest = data.newest();
            check(reader, half, turn -> newest.apply(positions[turn]), turn -> true);
        }
    }
}
