package kv.workloads;

import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;

/** A workload that only a program of its own has: what is done with a plain map (exhibit D02). */
public final class OfProgram extends Workload {

    private final String name;

    OfProgram(String name) {
        super(First.LOAD, Leaves.THE_SAME);
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Measurement measure(Passes passes) {
        throw new UnsupportedOperationException("only a program has " + name);
    }
}
