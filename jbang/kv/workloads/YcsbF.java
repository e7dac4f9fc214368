package kv.workloads;

import java.util.Map;
import kv.store.CaseSpec;

/**
 * Half reads, half reads that an update of the same entry follows, of entries a few of which are
 * popular: YCSB's core workload F, of records that users change.
 */
public final class YcsbF extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return Recipe.of(Map.of(Kind.READ, 0.5, Kind.MODIFY, 0.5), Choice.ZIPFIAN);
    }
}
