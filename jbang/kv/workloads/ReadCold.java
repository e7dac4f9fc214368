package kv.workloads;

import kv.bench.Passes;

/** The same as readLukewarm, with the database's files out of the page cache. */
public final class ReadCold extends Reopen {

    @Override
    void whileClosed(Passes passes) throws Exception {
        passes.upkeep.evict();
    }
}
