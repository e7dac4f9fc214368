package kv.workloads;

import java.util.Set;
import kv.store.Capability;
import kv.store.Direction;
import kv.store.Store;

/** Scans all entries, in ascending key order where it does not say otherwise. */
public abstract class Scan extends Read {

    Scan(First first) {
        super(first);
    }

    @Override
    public Set<Capability> needs() {
        return Set.of(Capability.SCAN);
    }

    @Override
    boolean readsAll() {
        return true;
    }

    @Override
    void read(Store.Reader reader, VerifyingSink sink, Share share, OperationTimer timer)
            throws Exception {
        reader.scan(null, Store.Reader.ALL, direction(), sink);
    }

    Direction direction() {
        return Direction.FORWARDS;
    }
}
