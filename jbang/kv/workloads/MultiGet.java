package kv.workloads;

import kv.bench.Passes;
import kv.data.Data;
import kv.store.Entries;
import kv.store.Setting;
import kv.store.Store;

/**
 * Get entries by their keys, as many in one call as the case says, in the order of gets. Its
 * entries are the keys, so that its time by these is that of a key.
 */
public final class MultiGet extends Lookup {

    private static final int KEYS = 100; // of a call, where the case does not say

    public MultiGet() {
        super(First.LOAD);
    }

    @Override
    Pass pass(Passes passes, Store.Reader reader) {
        return new Calls(passes.data, reader);
    }

    private static final class Calls extends Pass {

        private final int[] wanted; // positions of those of the next call
        private final Entries keys;
        private final int asked;
        private final SequenceSink due;

        Calls(Data data, Store.Reader reader) {
            super(data, reader);
            int entries = data.spec.entries();
            this.wanted = new int[Math.min(entries, data.spec.count(Setting.RANGE, KEYS))];
            this.keys = data.entries(wanted);
            this.asked = entries - entries % wanted.length;
            this.due = new SequenceSink(data);
            for (int turn = 0; turn < asked; turn++) {
                due.accept(newest.apply(data.positionOfGet(turn)));
            }
        }

        @Override
        public void timed() throws Exception {
            for (int turn = 0; turn < asked; turn += wanted.length) {
                for (int place = 0; place < wanted.length; place++) {
                    wanted[place] = data.positionOfGet(turn + place);
                }
                reader.multiGet(keys, sink);
            }
        }

        @Override
        SequenceSink due() {
            return due;
        }

        @Override
        public long entries() {
            return asked;
        }
    }
}
