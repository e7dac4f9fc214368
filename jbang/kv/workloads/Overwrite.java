package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.data.EntryFlyweight;
import kv.store.Store;

/**
 * Give every entry a new value, in the reverse order of writing. Each pass finds what the last one
 * left; what comes after it finds a database three times overwritten.
 */
public final class Overwrite extends Workload {

    private static final int OVERWRITES = 3; // after which a database counts as aged

    public Overwrite() {
        super(First.LOAD, Leaves.AN_AGED_ONE);
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        var pass = new Passes.Pass() {
            @Override
            public void before() {
                passes.data.renew();
            }

            @Override
            public void timed() throws Exception {
                EntryFlyweight entry = passes.data.entry();
                try (Store.Writer writer = passes.database.db().writer()) {
                    for (int position = passes.spec.entries() - 1; position >= 0; position--) {
                        writer.put(entry.at(position));
                    }
                }
            }
        };
        Measurement measured = passes.measure(this, pass);
        for (int times = measured.warmupNs().size() + measured.passNs().size();
                times < OVERWRITES;
                times++) {
            Passes.once(pass);
        }
        return measured;
    }
}
