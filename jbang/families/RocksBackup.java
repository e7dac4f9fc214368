package families;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.Checkpoint;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** RocksDB's checkpoint: table files as hard links, the rest copied. */
public final class RocksBackup {

    private RocksBackup() {}

    /**
     * Makes a copy of the database.
     *
     * @param directory exists and is empty
     */
    public static void into(Path directory, RocksDB db) throws IOException, RocksDBException {
        Files.delete(directory); // which a checkpoint wants to make itself
        try (Checkpoint checkpoint = Checkpoint.create(db)) {
            checkpoint.createCheckpoint(directory.toString());
        }
    }
}
