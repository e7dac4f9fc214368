package kv.workloads;

import java.util.Map;
import kv.store.CaseSpec;

/**
 * Half reads, half updates, of entries a few of which are popular: YCSB's core workload A, of
 * sessions that note what was done last.
 */
public final class YcsbA extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return Recipe.of(Map.of(Kind.READ, 0.5, Kind.UPDATE, 0.5), Choice.ZIPFIAN);
    }
}
