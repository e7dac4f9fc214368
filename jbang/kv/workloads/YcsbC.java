package kv.workloads;

import java.util.Map;
import kv.store.CaseSpec;

/** Reads only, of entries a few of which are popular: YCSB's core workload C, of profiles. */
public final class YcsbC extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return Recipe.of(Map.of(Kind.READ, 1.0), Choice.ZIPFIAN);
    }
}
