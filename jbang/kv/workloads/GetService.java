package kv.workloads;

import kv.bench.Passes;
import kv.data.Data;

/** Gets by key, each timed by itself, with its XXH64: its service time. */
public final class GetService extends Get {

    public GetService() {
        super(First.LOAD);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new Xxh64Sink(data);
    }

    @Override
    OperationTimer timer(Passes passes) {
        return OperationTimer.closed(1);
    }
}
