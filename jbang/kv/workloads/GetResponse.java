package kv.workloads;

import kv.bench.Passes;
import kv.data.Data;

/**
 * Gets due at a fixed rate, that of {@link kv.store.Setting#RATE} or half of what getService
 * achieved, each timed from when it was due.
 */
public final class GetResponse extends Get {

    public GetResponse() {
        super(First.LOAD);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new Xxh64Sink(data);
    }

    @Override
    OperationTimer timer(Passes passes) {
        return OperationTimer.open(passes.dueEveryNs(this, new GetService()));
    }
}
