package kv.workloads;

import kv.store.Entry;
import kv.store.Store;
import kv.store.Unavailable;

/**
 * Writes as a program does that has a few entries to write at a time: in batches of one size for
 * every store, each committed at the tier of the case. Where a store has no commit, a batch ends as
 * its contract says: by closing the writer.
 */
final class CommittedWriter implements AutoCloseable {

    /** Entries in a batch. */
    static final int BATCH = 100;

    private final Store.Db db;
    private Store.Writer writer;
    private boolean commits = true;

    CommittedWriter(Store.Db db) throws Exception {
        this.db = db;
        writer = db.writer();
    }

    void put(Entry entry) throws Exception {
        writer.put(entry);
    }

    /** Ends a batch: what was put has come back. */
    void commit() throws Exception {
        if (commits) {
            try {
                writer.commit();
                return;
            } catch (Unavailable none) {
                commits = false;
            }
        }
        writer.close();
        writer = db.writer();
    }

    @Override
    public void close() throws Exception {
        writer.close();
    }
}
