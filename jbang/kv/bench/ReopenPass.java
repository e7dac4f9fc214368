package kv.bench;

import java.util.concurrent.Callable;
import kv.data.Data;
import kv.store.Store;

/** Opens the database and gets every entry by its key. */
final class ReopenPass implements Passes.Pass {

    private final Database database;
    private final Data data;
    private final VerifyingSink sink;
    private final Callable<?> whileClosed;

    /** @param whileClosed done before each pass, when the database is closed */
    ReopenPass(Database database, Data data, VerifyingSink sink, Callable<?> whileClosed) {
        this.database = database;
        this.data = data;
        this.sink = sink;
        this.whileClosed = whileClosed;
    }

    @Override
    public void before() throws Exception {
        sink.reset();
        database.close();
        whileClosed.call();
    }

    @Override
    public boolean prepares() {
        return true;
    }

    @Override
    public void timed() throws Exception {
        database.open();
        try (Store.Reader reader = database.db().reader()) {
            ReadPass.getAll(data, reader, sink);
        }
    }

    @Override
    public void after() {
        sink.check();
    }
}
