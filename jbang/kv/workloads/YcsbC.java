package kv.workloads;

import kv.store.CaseSpec;

/** Reads only, of entries a few of which are popular: YCSB's core workload C, of profiles. */
public final class YcsbC extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return new Recipe(1, 0, 0, 0, 0, Choice.ZIPFIAN);
    }
}
