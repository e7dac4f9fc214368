package kv.workloads;

import kv.store.CaseSpec;

/**
 * Of twenty operations 19 reads, of what was inserted last rather than earlier, and an insert:
 * YCSB's core workload D, of news.
 */
public final class YcsbD extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return new Recipe(0.95, 0, 0.05, 0, 0, Choice.LATEST);
    }
}
