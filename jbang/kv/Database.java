package kv;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The database under test, in a directory of its own. */
final class Database {

    final Path directory;
    private final Store store;
    private final Shape shape;
    private Store.Db db;

    /** @param directory made with the database and removed with it */
    Database(Store store, Shape shape, Path directory) {
        this.store = store;
        this.shape = shape;
        this.directory = directory;
    }

    /** The database, while it is open. */
    Store.Db db() {
        return db;
    }

    /** Makes it anew, without entries, and leaves it open. */
    void create() throws Exception {
        remove();
        Files.createDirectories(directory);
        open();
    }

    void open() throws Exception {
        db = store.open(directory, shape);
    }

    /** Closes it where it is open. */
    void close() throws IOException {
        if (db != null) {
            try {
                db.close();
            } catch (Exception e) {
                throw new IOException("closing " + store.about().name() + " failed: " + e.getMessage(), e);
            } finally {
                db = null;
            }
        }
    }

    /** Closes it and deletes its files. */
    void remove() throws IOException {
        close();
        delete(directory);
    }

    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
