package kv.workloads;

import java.util.List;
import kv.bench.Measurement;
import kv.bench.Observed;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.data.EntryFlyweight;
import kv.store.Store;

/**
 * Have the vendor's own call give back the space of what was overwritten or deleted: one pass, as a
 * second one would find nothing to do. Then all entries have to be there, and the disk blocks of
 * the closed database are counted.
 */
public final class Compact extends Workload {

    public Compact() {
        super(First.AGEING, Leaves.THE_SAME);
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        return passes.measure(this, new Once(passes), 0, 1);
    }

    private static final class Once implements Passes.Pass {

        private final Passes passes;
        private long closedBytes;

        Once(Passes passes) {
            this.passes = passes;
        }

        @Override
        public boolean prepares() {
            return true;
        }

        @Override
        public void timed() throws Exception {
            passes.database.db().compact();
        }

        @Override
        public void after() throws Exception {
            closedBytes = passes.upkeep.settled().closedBytes();
            Xxh64Sink got = new Xxh64Sink(passes.data);
            EntryFlyweight entry = passes.data.entry();
            try (Store.Reader reader = passes.database.db().reader()) {
                for (int turn = 0; turn < passes.spec.entries(); turn++) {
                    reader.get(entry.at(turn), got);
                }
                reader.flush(got);
            }
            got.check(got.due(), List.of());
        }

        @Override
        public Observed observed() {
            return Observed.made(closedBytes, null);
        }
    }
}
