package kv.workloads;

import java.util.List;
import kv.bench.OperationTimes;
import kv.bench.Passes;
import kv.store.Store;

/** One pass of reading in one thread. */
final class ReadPass implements Passes.Pass {

    private final Read workload;
    private final Store.Reader reader;
    private final Share whole;
    private final VerifyingSink sink;
    private final long due;
    private final OperationTimer timer; // null: no operation is timed by itself

    ReadPass(Read workload, Passes passes, Store.Reader reader) {
        this.workload = workload;
        this.reader = reader;
        this.whole = Share.whole(passes.data);
        this.sink = workload.sink(passes.data);
        this.due = sink.due();
        this.timer = workload.timer(passes);
    }

    @Override
    public void before() {
        sink.reset();
    }

    @Override
    public void timed() throws Exception {
        workload.read(reader, sink, whole, timer);
    }

    /** Of single gets as fast as they go: a rate at which they are due would only make it long. */
    @Override
    public void warmUp() throws Exception {
        workload.read(reader, sink, whole, timer == null ? null : timer.asFastAsTheyGo());
    }

    @Override
    public void after() {
        sink.check(due, List.of());
    }

    @Override
    public void warmedUp() {
        if (timer != null) {
            timer.reset();
        }
    }

    @Override
    public OperationTimes operations() {
        return timer == null ? null : timer.recorded();
    }
}
