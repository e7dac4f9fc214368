package kv.workloads;

import java.util.Map;
import java.util.Set;
import kv.store.Capability;
import kv.store.CaseSpec;

/**
 * Of twenty operations 19 scans of up to a hundred entries and an insert: YCSB's core workload E,
 * of threads of messages.
 */
public final class YcsbE extends Mix {

    @Override
    protected Recipe recipe(CaseSpec spec) {
        return Recipe.of(Map.of(Kind.INSERT, 0.05, Kind.SCAN, 0.95), Choice.ZIPFIAN);
    }

    /** A tenth, as a scan gives fifty entries. */
    @Override
    protected int operations(CaseSpec spec) {
        return Math.max(1, super.operations(spec) / 10);
    }

    @Override
    public Set<Capability> needs() {
        return Set.of(Capability.SCAN);
    }
}
