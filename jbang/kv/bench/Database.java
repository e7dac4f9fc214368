package kv.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import kv.store.CaseSpec;
import kv.store.Store;

/** The database under test, in a directory of its own. */
public final class Database {

    public final Path directory;
    private Store store;
    private final CaseSpec spec;
    private Store.Db db;
    private boolean empty; // nothing has been written since it was made

    /** @param directory made with the database and removed with it */
    public Database(Store store, CaseSpec spec, Path directory) {
        this.store = store;
        this.spec = spec;
        this.directory = directory;
    }

    /** Another one of the same store, in another directory, which may exist. */
    public Database at(Path other) {
        return new Database(store, spec, other);
    }

    /** The database, while it is open. */
    public Store.Db db() {
        return db;
    }

    /** Makes it anew, without entries, and leaves it open. */
    public void create() throws Exception {
        remove();
        Files.createDirectories(directory);
        open();
        empty = true;
    }

    /** Whether nothing has been written since it was made. */
    public boolean isEmpty() {
        return empty;
    }

    /** Something is about to be written. */
    public void written() {
        empty = false;
    }

    /**
     * Goes on with another instance of the same store, which opens it where it is open: anew where
     * nothing has been written.
     */
    public void use(Store other) throws Exception {
        if (other != store) {
            boolean opened = db != null;
            close();
            store = other;
            if (opened && empty) {
                create();
            } else if (opened) {
                open();
            }
        }
    }

    public void open() throws Exception {
        db = store.open(directory, spec);
    }

    /** Closes it where it is open. */
    public void close() throws IOException {
        if (db != null) {
            try {
                db.close();
            } catch (Exception e) {
                throw new IOException(
                        "closing " + store.describe().name() + " failed: " + e.getMessage(), e);
            } finally {
                db = null;
            }
        }
    }

    /** Closes it and deletes its files. */
    public void remove() throws IOException {
        close();
        delete(directory);
    }

    public static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
