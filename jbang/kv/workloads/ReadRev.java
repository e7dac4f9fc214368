package kv.workloads;

import java.util.Set;
import kv.data.Data;
import kv.store.Capability;
import kv.store.Direction;

/** Scan all entries in descending key order, reaching each value. */
public final class ReadRev extends Scan {

    public ReadRev() {
        super(First.LOAD);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new ReachSink(data);
    }

    @Override
    public boolean looksIntoValues() {
        return false;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public Set<Capability> needs() {
        return Set.of(Capability.SCAN_BACKWARDS);
    }

    @Override
    Direction direction() {
        return Direction.BACKWARDS;
    }
}
