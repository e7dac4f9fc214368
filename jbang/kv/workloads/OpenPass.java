package kv.workloads;

import java.util.List;
import java.util.function.IntFunction;
import kv.bench.Database;
import kv.bench.Passes;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/** Opens a database, until one entry has been got, another each time. */
class OpenPass implements Passes.Pass {

    private final Database database;
    private final Data data;
    private final IntFunction<EntryFlyweight> newest;
    private final Xxh64Sink got;
    private Store.Reader reader;
    private int position;
    private int turn;

    OpenPass(Database database, Data data) {
        this.database = database;
        this.data = data;
        this.newest = data.newest();
        this.got = new Xxh64Sink(data);
    }

    /** Does what there is to do before each pass, when the database is closed. */
    void whileClosed() throws Exception {}

    @Override
    public final void before() throws Exception {
        database.close();
        whileClosed();
        got.reset();
        position = data.positionOfGet(turn++ % data.spec.entries());
    }

    @Override
    public final boolean prepares() {
        return true;
    }

    @Override
    public final void timed() throws Exception {
        database.open();
        reader = database.db().reader();
        reader.get(newest.apply(position), got);
        reader.flush(got);
    }

    @Override
    public final void after() throws Exception {
        reader.close();
        Xxh64Sink due = new Xxh64Sink(data);
        due.accept(newest.apply(position));
        got.check(1, due.digest(), List.of());
    }

    @Override
    public final long entries() {
        return 1;
    }
}
