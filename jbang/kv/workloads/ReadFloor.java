package kv.workloads;

import java.util.Set;
import kv.bench.Passes;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Capability;
import kv.store.Direction;
import kv.store.Store;

/**
 * Find the last entry at or before a key: a scan of one entry, backwards. Every other key is one
 * that is there, in the order of gets; the rest were never written.
 */
public final class ReadFloor extends Lookup {

    public ReadFloor() {
        super(First.LOAD);
    }

    @Override
    public Set<Capability> needs() {
        return Set.of(Capability.SCAN_BACKWARDS);
    }

    @Override
    public boolean asksForAbsentKeys() {
        return true;
    }

    @Override
    Pass pass(Passes passes, Store.Reader reader) {
        return new Floors(passes.data, reader);
    }

    private static final class Floors extends Pass {

        private final int entries;
        private final Data absent;
        private final SequenceSink due;

        Floors(Data data, Store.Reader reader) {
            super(data, reader);
            this.entries = data.spec.entries();
            this.absent = data.absent(Math.max(1, entries / 2));
            this.due = new SequenceSink(data);
            EntryFlyweight other = absent.entry();
            for (int turn = 0; turn < entries; turn++) {
                if (isThere(turn)) {
                    due.accept(newest.apply(data.positionOfGet(turn)));
                } else {
                    int rank = data.floorRank(other.at(absent.positionOfGet(turn / 2)));
                    if (rank >= 0) {
                        due.accept(newest.apply(data.positionOfRank(rank)));
                    }
                }
            }
        }

        private static boolean isThere(int turn) {
            return (turn & 1) == 0;
        }

        @Override
        public void timed() throws Exception {
            EntryFlyweight entry = data.entry();
            EntryFlyweight other = absent.entry();
            for (int turn = 0; turn < entries; turn++) {
                EntryFlyweight key = isThere(turn)
                        ? entry.at(data.positionOfGet(turn))
                        : other.at(absent.positionOfGet(turn / 2));
                reader.scan(key, 1, Direction.BACKWARDS, sink);
            }
        }

        @Override
        SequenceSink due() {
            return due;
        }
    }
}
