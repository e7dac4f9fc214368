package kv.workloads;

import kv.store.CaseSpec;

/**
 * Half reads, half updates, of entries a few of which are popular: YCSB's core workload A, of
 * sessions that note what was done last.
 */
public final class YcsbA extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return new Recipe(0.5, 0.5, 0, 0, 0, Choice.ZIPFIAN);
    }
}
