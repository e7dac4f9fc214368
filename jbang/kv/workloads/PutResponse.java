package kv.workloads;

import kv.bench.Passes;

/**
 * Puts due at a fixed rate, that of {@link kv.store.Setting#RATE} or half of what putService
 * achieved, each timed from when it was due.
 */
public final class PutResponse extends Load {

    @Override
    OperationTimer timer(Passes passes) {
        return OperationTimer.open(passes.dueEveryNs(this, new PutService()));
    }
}
