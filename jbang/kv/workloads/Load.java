package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.store.CaseSpec;
import kv.store.Store;

/** Loads every entry into a new database for each pass, and leaves the last one open. */
public abstract class Load extends Workload {

    Load() {
        super(First.NOTHING, Leaves.A_NEW_ONE);
    }

    /** What the store writes with. */
    Store.Writer writer(Store.Db db) throws Exception {
        return db.writer();
    }

    /** Whether entries are written in the order of their keys, rather than in that of the case. */
    boolean inKeyOrder(CaseSpec spec) {
        return spec.loadsInKeyOrder();
    }

    /** What times each put; null: none is. */
    OperationTimer timer(Passes passes) {
        return null;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        return passes.measure(this, new LoadPass(this, passes));
    }

    /** Loads once, unmeasured. */
    public void once(Passes passes) throws Exception {
        Passes.once(new LoadPass(this, passes));
    }
}
