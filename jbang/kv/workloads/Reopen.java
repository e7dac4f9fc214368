package kv.workloads;

import java.util.List;
import kv.bench.Database;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/** Opens the database, and gets every entry by its key with its XXH64. */
public abstract class Reopen extends Workload {

    Reopen() {
        super(First.LOAD, Leaves.THE_SAME);
    }

    /** Does what there is to do before each pass, when the database is closed. */
    void whileClosed(Passes passes) throws Exception {}

    @Override
    public boolean reopens() {
        return true;
    }

    @Override
    public boolean looksIntoValues() {
        return true;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        Database database = passes.database;
        Data data = passes.data;
        Xxh64Sink sink = new Xxh64Sink(data);
        long due = sink.due();
        return passes.measure(this, new Passes.Pass() {
            @Override
            public void before() throws Exception {
                sink.reset();
                database.close();
                whileClosed(passes);
            }

            @Override
            public boolean prepares() {
                return true;
            }

            @Override
            public void timed() throws Exception {
                database.open();
                EntryFlyweight entry = data.entry();
                try (Store.Reader reader = database.db().reader()) {
                    for (int turn = 0, entries = data.spec.entries(); turn < entries; turn++) {
                        reader.get(entry.at(data.positionOfGet(turn)), sink);
                    }
                    reader.flush(sink);
                }
            }

            @Override
            public void after() {
                sink.check(due, List.of());
            }
        });
    }
}
