package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;

/**
 * Commits to a loaded database for a set time: a few random entries get a new value, and then the
 * commit goes as far as the tier of the case says. Both together are timed, commit by commit.
 */
public abstract class Commits extends Workload {

    private final int batch; // entries in a commit

    Commits(int batch) {
        super(First.LOAD, Leaves.THE_SAME);
        this.batch = batch;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        return passes.measure(this, new CommitsPass(passes, batch));
    }
}
