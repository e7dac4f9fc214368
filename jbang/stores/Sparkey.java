///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java
//DEPS com.spotify.sparkey:sparkey:3.2.5

package stores;

import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import kv.cli.Cli;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Value;

/**
 * Sparkey, a log of entries with a hash table of all of them beside it. The log can be appended to;
 * the table is written anew, as a whole, and until then readers see nothing of what came.
 */
public final class Sparkey implements Store {

    private static final String NO_ORDER = "a hash table keeps no order";
    private static final String FAMILY = "constant database";
    private static final int NO_BLOCKS = 0; // as its createNew has it without compression

    public static void main(String... arguments) {
        Cli.run(new Sparkey(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String javadoc =
                "https://javadoc.io/static/com.spotify.sparkey/sparkey/3.2.5/com/spotify/sparkey/";
        return StoreDescriptor.of(
                        Sparkey.class,
                        "Sparkey",
                        FAMILY,
                        "#1da54d",
                        "com.spotify.sparkey:sparkey",
                        "Spotify's Sparkey: entries go to a log, whose hash table is written when a"
                                + " load ends, while the clock runs")
                .unsupported(Capability.SCAN, NO_ORDER)
                .usage(
                        "writeHash",
                        "once, when a load ends",
                        "readers find an entry by the table, which is made of the whole log",
                        javadoc + "SparkeyWriter.html#writeHash()")
                .usage(
                        "hashType, hashSparsity, constructionMethod, maxMemory",
                        "not set (default)",
                        "it chooses by the number of entries and the free heap",
                        javadoc + "SparkeyWriter.html")
                .usage(
                        "compressionType, compressionBlockSize",
                        "NONE (default)",
                        "as for every store in this test",
                        javadoc + "Sparkey.html")
                .option(Option.of(
                                "fsync",
                                Value.in("false (default)", spec -> spec.sync() == Sync.ON),
                                "durability is off in this test",
                                javadoc + "SparkeyWriter.html#setFsync(boolean)")
                        .sets(SparkeyWriter.class, SparkeyWriter::setFsync)
                        .term())
                .usage(
                        "openSingleThreadedReader",
                        "a reader for each thread",
                        "the other kinds keep such readers for threads that share one",
                        javadoc + "Sparkey.html#openSingleThreadedReader(java.io.File)")
                .fixed(
                        Setting.BATCH,
                        "100%",
                        "its hash table is written for all entries at once, when a load ends")
                .setting(Setting.SYNC, "on: setFsync; os: as off, since a load writes the files")
                .fixed(Setting.MEMORY, "4", "its only cache is the system's")
                .fixed(Setting.COMPRESSION, "default", "its compression is left off")
                .fixed(Setting.THREADS, "1", "takes one writer at a time")
                .setting(Setting.DEFAULTS, "as in every case");
    }

    @Override
    public String engine() throws IOException {
        var version = new Properties();
        try (var file = CompressionType.class.getResourceAsStream(
                "/META-INF/maven/com.spotify.sparkey/sparkey/pom.properties")) {
            version.load(file);
        }
        return "Sparkey " + version.getProperty("version");
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        return new Log(directory.resolve("sparkey").toFile(), describe(), spec);
    }

    private record Log(File file, StoreDescriptor described, CaseSpec spec) implements Db {

        @Override
        public Writer writer() throws IOException {
            SparkeyWriter log = com.spotify.sparkey.Sparkey.appendOrCreate(
                    file, CompressionType.NONE, NO_BLOCKS);
            return new Appends(described.set(log, spec));
        }

        @Override
        public Reader reader() throws IOException {
            return new Gets(com.spotify.sparkey.Sparkey.openSingleThreadedReader(file));
        }

        @Override
        public void close() {
            // Writers and readers hold the files.
        }
    }

    private record Appends(SparkeyWriter log) implements Writer {

        @Override
        public void put(Entry entry) throws IOException {
            log.put(entry.key(), entry.value());
        }

        @Override
        public void delete(Entry entry) throws IOException {
            log.delete(entry.key());
        }

        @Override
        public void commit() throws IOException {
            log.writeHash();
        }

        @Override
        public void close() throws IOException {
            try (log) {
                log.writeHash();
            }
        }
    }

    private record Gets(SparkeyReader entries) implements Reader {

        @Override
        public void get(Entry entry, Sink sink) throws IOException {
            byte[] key = entry.key();
            byte[] value = entries.getAsByteArray(key);
            if (value != null) {
                sink.accept(key, value);
            }
        }

        @Override
        public void close() {
            entries.close();
        }
    }
}
