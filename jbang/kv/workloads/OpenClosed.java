package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;

/** Open a database that was closed, and get an entry; its files are still in the page cache. */
public final class OpenClosed extends Workload {

    public OpenClosed() {
        super(First.LOAD, Leaves.THE_SAME);
    }

    @Override
    public boolean reopens() {
        return true;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        Measurement measured = passes.measure(this, new OpenPass(passes.database, passes.data));
        AllEntries.check(passes.database.db(), passes.data, passes.spec.entries());
        return measured;
    }
}
