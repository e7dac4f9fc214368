package kv.bench;

import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/**
 * Gives every entry a new value, in the reverse order of writing. Each pass finds what the last one
 * left.
 */
final class OverwritePass implements Passes.Pass {

    private final Database database;
    private final Data data;

    OverwritePass(Database database, Data data) {
        this.database = database;
        this.data = data;
    }

    @Override
    public void before() {
        data.renew();
    }

    @Override
    public void timed() throws Exception {
        EntryFlyweight entry = data.entry();
        try (Store.Writer writer = database.db().writer()) {
            for (int position = data.spec.entries() - 1; position >= 0; position--) {
                writer.put(entry.at(position));
            }
        }
    }
}
