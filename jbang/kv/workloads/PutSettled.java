package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;

/**
 * Put for a set time, in committed batches, into a database that holds half of the entries and has
 * settled: random ones of those that are there get a new value, and the other half are inserted. At
 * most every second put inserts, and no more than that the store doubles over the time, evenly:
 * else a fast store would be measured at many times the size of a slow one.
 */
public final class PutSettled extends Workload {

    public PutSettled() {
        super(First.LOAD, Leaves.AN_AGED_ONE);
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        PutsPass pass = new PutsPass(passes);
        pass.loadHalf();
        Measurement measured = passes.measure(this, pass);
        pass.insertTheRest();
        return measured;
    }
}
