package families;

//SOURCES ../kv/*/*.java RocksOptions.java
//DEPS org.rocksdb:rocksdbjni:11.8.1

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Value;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * What the sides of "RocksJava against native" have in common (exhibits E01 to E05): one build of
 * RocksDB, the library in the jar of rocksdbjni, and one set of options, which each side gives it
 * as the same text.
 */
public abstract class RocksSide implements Store {

    private static final String WIKI = "https://github.com/facebook/rocksdb/wiki/";

    private static final String OPEN_FILES = "max_open_files";

    /** The database's options by RocksDB's own names, as the source set them. */
    protected static final Map<String, String> DATABASE = new LinkedHashMap<>();
    /** Those of its tree. */
    protected static final Map<String, String> TREE = new LinkedHashMap<>();
    /** Those of its table files. */
    private static final Map<String, String> TABLE = new LinkedHashMap<>();

    static {
        DATABASE.put("create_if_missing", "true");
        DATABASE.put("max_background_compactions", "20");
        DATABASE.put("delete_obsolete_files_period_micros", "300000000");
        DATABASE.put(OPEN_FILES, "500000");
        DATABASE.put("allow_mmap_reads", "false");
        TREE.put("compression", "kSnappyCompression");
        TREE.put("write_buffer_size", "134217728");
        TREE.put("max_write_buffer_number", "3");
        TREE.put("target_file_size_base", "67108864");
        TREE.put("max_bytes_for_level_base", "10485760");
        TREE.put("num_levels", "6");
        TREE.put("level0_file_num_compaction_trigger", "4");
        TREE.put("level0_slowdown_writes_trigger", "8");
        TREE.put("level0_stop_writes_trigger", "12");
        TABLE.put("block_size", "4096");
        TABLE.put("block_cache", "{capacity=1073741824;num_shard_bits=6}");
        TABLE.put("filter_policy", "bloomfilter:10:false");
    }

    /**
     * The description that all sides share; the subclass names itself and says which calls it has.
     */
    protected static StoreDescriptor describe(
            Class<? extends Store> script,
            String name,
            String colour,
            String summary,
            String calls) {
        StoreDescriptor described = StoreDescriptor.of(
                script,
                name,
                StoreDescriptor.ACCESS_PATH,
                colour,
                "org.rocksdb:rocksdbjni",
                summary);
        for (Map<String, String> options : List.of(DATABASE, TREE)) {
            for (Map.Entry<String, String> option : options.entrySet()) {
                described = described.option(parsed(
                        option.getKey(),
                        option.getValue(),
                        option.getKey().equals(OPEN_FILES)
                                ? "as in the source; at most what the system lets a process open"
                                : "as in the source",
                        WIKI + "RocksDB-Tuning-Guide"));
            }
        }
        return described
                .option(parsed(
                        "block_size",
                        TABLE.get("block_size"),
                        "as in the source's reads; its bulk load has 65536",
                        WIKI + "RocksDB-Tuning-Guide"))
                .usage(
                        "block_cache",
                        TABLE.get("block_cache"),
                        "1 GB as in the source's text, whose commands say 1048576; shards as in"
                                + " its reads",
                        WIKI + "Block-Cache")
                .option(parsed(
                        "filter_policy",
                        TABLE.get("filter_policy"),
                        "10 bits a key, as in the source",
                        WIKI + "RocksDB-Bloom-Filter"))
                .usage(
                        "disableWAL, sync",
                        "true, false",
                        "as in the source",
                        WIKI + "Write-Ahead-Log-(WAL)")
                .usage(
                        "verify_checksums",
                        "true (default)",
                        "as in the source",
                        WIKI + "Basic-Operations")
                .usage(
                        "statistics",
                        "off (default)",
                        "the source had them on in Java and off in C++ for the load",
                        WIKI + "Statistics")
                .setting(
                        Setting.THREADS,
                        "one database; each thread gets its share, or scans everything")
                .setting(Setting.LOAD, "sequential: loaded in the order of the keys")
                .setting(Setting.WRITES, "puts a second of one more thread")
                .setting(Setting.CALLS, calls);
    }

    /** An option that RocksDB parses, and writes down as the same text. */
    private static Option<String> parsed(String name, String value, String why, String link) {
        Option<String> option = Option.of(name, Value.of(value), why, link);
        return name.equals(OPEN_FILES)
                ? option // machines differ in what of it is in force
                : option.reads(RocksOptions.class, told -> told.text(name));
    }

    @Override
    public final String engine() {
        RocksDB.loadLibrary();
        return "RocksDB " + RocksDB.rocksdbVersion();
    }

    /** The options in the form that RocksDB parses: "name=value;…". */
    protected static String options() {
        return joined(DATABASE) + ";" + joined(TREE) + ";block_based_table_factory=" + table();
    }

    /** The options of table files, in the same form, in braces. */
    protected static String table() {
        return "{" + joined(TABLE) + "}";
    }

    private static String joined(Map<String, String> options) {
        return options.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining(";"));
    }

    /**
     * Copies RocksDB's library for this machine out of the jar into a folder, under a name of its
     * own.
     */
    protected static Path library(Path folder) throws IOException {
        Path file = folder.resolve("librocks.so");
        try (InputStream library = Environment.class.getResourceAsStream(
                "/" + Environment.getJniLibraryFileName("rocksdb"))) {
            Files.copy(library, file);
        }
        return file;
    }
}
