package kv.workloads;

import java.util.Set;
import java.util.SplittableRandom;
import kv.bench.Passes;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Capability;
import kv.store.Direction;
import kv.store.Setting;
import kv.store.Store;

/**
 * Scan ranges in ascending order, each from an entry at random, of as many entries as the case
 * says. A pass makes as many ranges as give, together, as many entries as there are; it counts its
 * ranges as entries, so that its time by these is that of a range.
 */
public class ReadRange extends Lookup {

    private static final int LENGTH = 100; // of a range, where the case does not say
    private static final int PASSES = 4; // with ranges of their own, until they come again

    public ReadRange() {
        this(First.LOAD);
    }

    ReadRange(First first) {
        super(first);
    }

    Direction direction() {
        return Direction.FORWARDS;
    }

    @Override
    public Set<Capability> needs() {
        return Set.of(Capability.SCAN);
    }

    @Override
    Pass pass(Passes passes, Store.Reader reader) {
        return new Ranges(passes.data, reader, direction());
    }

    private static final class Ranges extends Pass {

        private final Direction direction;
        private final int length;
        private final int[][] starts; // of each pass, positions of the entries that ranges start at
        private final SequenceSink[] due = new SequenceSink[PASSES];
        private int pass;

        Ranges(Data data, Store.Reader reader, Direction direction) {
            super(data, reader);
            int entries = data.spec.entries();
            this.direction = direction;
            this.length = Math.min(entries, data.spec.count(Setting.RANGE, LENGTH));
            this.starts = new int[PASSES][entries / length];
            SplittableRandom random = new SplittableRandom(data.spec.seed());
            for (int each = 0; each < PASSES; each++) {
                due[each] = new SequenceSink(data);
                for (int range = 0; range < starts[each].length; range++) {
                    starts[each][range] = choose(random.nextInt(entries - length + 1), due[each]);
                }
            }
        }

        /** The position at which a range starts, whose entries are due. */
        private int choose(int least, SequenceSink due) {
            boolean forwards = direction == Direction.FORWARDS;
            int start = forwards ? least : least + length - 1;
            for (int place = 0; place < length; place++) {
                int rank = forwards ? start + place : start - place;
                due.accept(newest.apply(data.positionOfRank(rank)));
            }
            return data.positionOfRank(start);
        }

        @Override
        public void before() {
            super.before();
            pass = (pass + 1) % PASSES;
        }

        @Override
        public void timed() throws Exception {
            EntryFlyweight entry = data.entry();
            for (int start : starts[pass]) {
                reader.scan(entry.at(start), length, direction, sink);
            }
        }

        @Override
        SequenceSink due() {
            return due[pass];
        }

        @Override
        public long entries() {
            return starts[pass].length;
        }

        @Override
        public long bytes() {
            return entries() * length * data.spec.entryBytes();
        }
    }
}
