package kv.workloads;

import java.util.Map;
import kv.store.CaseSpec;

/**
 * Of twenty operations 19 reads, of what was inserted last rather than earlier, and an insert:
 * YCSB's core workload D, of news.
 */
public final class YcsbD extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return Recipe.of(Map.of(Kind.READ, 0.95, Kind.INSERT, 0.05), Choice.LATEST);
    }
}
