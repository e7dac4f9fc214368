package kv.workloads;

import java.util.function.IntFunction;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/** Asks the database that is open, in one thread, for what a model of it knows beforehand. */
public abstract class Lookup extends Workload {

    Lookup(First first) {
        super(first, Leaves.THE_SAME);
    }

    /** What it asks in a pass. */
    abstract Pass pass(Passes passes, Store.Reader reader);

    @Override
    public boolean looksIntoValues() {
        return true;
    }

    @Override
    public boolean followsLoadInKeyOrder() {
        return true;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        try (Store.Reader reader = passes.database.db().reader()) {
            return passes.measure(this, pass(passes, reader));
        }
    }

    /** A pass that has to give these entries in this order, and no others. */
    abstract static class Pass implements Passes.Pass {

        final Data data;
        final Store.Reader reader;
        final SequenceSink sink;
        /** Entries as they were written last, by their positions. */
        final IntFunction<EntryFlyweight> newest;

        Pass(Data data, Store.Reader reader) {
            this.data = data;
            this.reader = reader;
            this.sink = new SequenceSink(data);
            this.newest = data.newest();
        }

        /** What the pass has to give. */
        abstract SequenceSink due();

        @Override
        public void before() {
            sink.reset();
        }

        @Override
        public void after() {
            sink.check(due());
        }
    }
}
