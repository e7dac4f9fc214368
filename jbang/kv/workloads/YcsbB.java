package kv.workloads;

import java.util.Map;
import kv.store.CaseSpec;

/**
 * Of twenty operations 19 reads and an update, of entries a few of which are popular: YCSB's core
 * workload B, of tags.
 */
public final class YcsbB extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return Recipe.of(Map.of(Kind.READ, 0.95, Kind.UPDATE, 0.05), Choice.ZIPFIAN);
    }
}
