package kv.workloads;

import kv.data.EntryFlyweight;
import kv.store.Direction;
import kv.store.Store;

/** What one thread of a {@link Mix} reads with, each time what was acknowledged before. */
final class MixReader {

    private final Store.Db db;
    private final Store.Reader kept; // null: one is opened for each operation

    private MixReader(Store.Db db, Store.Reader kept) {
        this.db = db;
        this.kept = kept;
    }

    /** Reads with one reader, which sees what others write. */
    static MixReader keeping(Store.Reader reader) {
        return new MixReader(null, reader);
    }

    /** Opens a reader for each operation. */
    static MixReader opening(Store.Db db) {
        return new MixReader(db, null);
    }

    void get(EntryFlyweight entry, NotingSink sink) throws Exception {
        if (kept != null) {
            get(kept, entry, sink);
        } else {
            try (Store.Reader reader = db.reader()) {
                get(reader, entry, sink);
            }
        }
    }

    private static void get(Store.Reader reader, EntryFlyweight entry, NotingSink sink)
            throws Exception {
        reader.get(entry, sink);
        reader.flush(sink);
    }

    void scan(EntryFlyweight from, int limit, Direction direction, NotingSink sink)
            throws Exception {
        if (kept != null) {
            kept.scan(from, limit, direction, sink);
        } else {
            try (Store.Reader reader = db.reader()) {
                reader.scan(from, limit, direction, sink);
            }
        }
    }
}
