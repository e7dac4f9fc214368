package kv.workloads;

import kv.bench.Passes;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/**
 * Get keys that were never written, as many as there are entries: between those that were where
 * keys are sparse, beyond them all where they are dense or in order. Nothing may come.
 */
public final class ReadMiss extends Lookup {

    public ReadMiss() {
        super(First.LOAD);
    }

    @Override
    public boolean asksForAbsentKeys() {
        return true;
    }

    @Override
    Pass pass(Passes passes, Store.Reader reader) {
        return new Misses(passes.data, reader);
    }

    private static final class Misses extends Pass {

        private final int entries;
        private final Data absent;
        private final SequenceSink nothing;

        Misses(Data data, Store.Reader reader) {
            super(data, reader);
            this.entries = data.spec.entries();
            this.absent = data.absent(entries);
            this.nothing = new SequenceSink(data);
        }

        @Override
        public void timed() throws Exception {
            EntryFlyweight entry = absent.entry();
            for (int turn = 0; turn < entries; turn++) {
                reader.get(entry.at(absent.positionOfGet(turn)), sink);
            }
            reader.flush(sink);
        }

        @Override
        SequenceSink due() {
            return nothing;
        }

        @Override
        public long bytes() {
            return (long) entries * data.spec.keys().bytes;
        }
    }
}
