package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;

/**
 * Get entries by their keys while one more thread overwrites others at a fixed rate, in committed
 * batches. Each get is timed by itself, with the XXH64 of what it found; a reader is closed and
 * opened again every so often, as its snapshot would grow old, and so would what the store keeps
 * for it. What a get found is compared afterwards, outside the get's time.
 */
public final class GetBesideWriter extends Workload {

    public GetBesideWriter() {
        super(First.LOAD, Leaves.THE_SAME);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean isBesideWriter() {
        return true;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        try (var pass = new GetsBesideWriterPass(passes)) {
            return passes.measure(this, pass);
        }
    }
}
