package kv.workloads;

import java.util.Set;
import kv.store.Capability;
import kv.store.Direction;

/** The same as readRange in descending order. */
public final class ReadRangeBack extends ReadRange {

    @Override
    public Set<Capability> needs() {
        return Set.of(Capability.SCAN_BACKWARDS);
    }

    @Override
    Direction direction() {
        return Direction.BACKWARDS;
    }
}
