package kv.workloads;

import kv.bench.Passes;

/**
 * The load again, each put timed by itself: its service time, as the next begins when it has ended.
 */
public final class PutService extends Load {

    @Override
    OperationTimer timer(Passes passes) {
        return OperationTimer.closed(1);
    }
}
