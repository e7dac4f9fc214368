package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;

/** {@link ReadRangeAged} after the vendor's call that compacts, which is not timed here. */
public final class ReadRangeCompacted extends ReadRangeAged {

    @Override
    public Measurement measure(Passes passes) throws Exception {
        passes.database.db().compact();
        return super.measure(passes);
    }
}
