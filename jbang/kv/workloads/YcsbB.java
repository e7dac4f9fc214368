package kv.workloads;

import kv.store.CaseSpec;

/**
 * Of twenty operations 19 reads and an update, of entries a few of which are popular: YCSB's core
 * workload B, of tags.
 */
public final class YcsbB extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return new Recipe(0.95, 0.05, 0, 0, 0, Choice.ZIPFIAN);
    }
}
