package families;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Properties;
import java.util.stream.Stream;
import org.rocksdb.CompressionType;

/** The options that an open RocksDB runs with, which it writes to a file by their names. */
public final class RocksOptions {

    private final Properties options = new Properties();

    /**
     * Reads the newest of a database's files of options.
     *
     * @param directory of the database
     */
    public RocksOptions(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            Path newest = files.filter(file -> file.getFileName().toString().startsWith("OPTIONS-"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
            try (var lines = Files.newBufferedReader(newest)) {
                options.load(lines);
            }
        }
    }

    public String text(String name) {
        return options.getProperty(name);
    }

    public long number(String name) {
        return Long.parseLong(text(name));
    }

    public CompressionType compression() {
        return switch (text("compression")) {
            case "kNoCompression" -> CompressionType.NO_COMPRESSION;
            case "kSnappyCompression" -> CompressionType.SNAPPY_COMPRESSION;
            case "kLZ4Compression" -> CompressionType.LZ4_COMPRESSION;
            default -> throw new IllegalStateException(text("compression"));
        };
    }
}
