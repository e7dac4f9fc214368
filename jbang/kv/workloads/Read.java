package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.data.Data;
import kv.store.Store;

/** Reads every entry of the database that is open, in one thread or in several. */
public abstract class Read extends Workload {

    Read(First first) {
        super(first, Leaves.THE_SAME);
    }

    /** What digests the entries. */
    abstract VerifyingSink sink(Data data);

    /** Whether each thread reads all entries, rather than its share. */
    abstract boolean readsAll();

    /**
     * Reads a share of the entries.
     *
     * @param timer of each single operation; null: none is timed
     */
    abstract void read(Store.Reader reader, VerifyingSink sink, Share share, OperationTimer timer)
            throws Exception;

    /** What times each operation of one thread; null: none is timed. */
    OperationTimer timer(Passes passes) {
        return null;
    }

    @Override
    public boolean looksIntoValues() {
        return true;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        if (passes.spec.shared()) {
            try (var pass = new ThreadsReadPass(this, passes)) {
                return passes.measure(this, pass);
            }
        }
        try (Store.Reader reader = passes.database.db().reader()) {
            return passes.measure(this, new ReadPass(this, passes, reader));
        }
    }
}
