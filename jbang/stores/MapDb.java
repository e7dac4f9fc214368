///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/FixedBytes.java
// MapDB's POM asks for version ranges: hundreds of downloads, and other jars each month. @fatjar
// ignores it, and what it needs is named here.
//DEPS org.mapdb:mapdb:3.1.0@fatjar org.mapdb:elsa:3.0.0-M5
//DEPS org.jetbrains.kotlin:kotlin-stdlib:1.9.25 net.jpountz.lz4:lz4:1.3.0
//DEPS org.eclipse.collections:eclipse-collections-api:10.4.0
//DEPS org.eclipse.collections:eclipse-collections:10.4.0
//DEPS org.eclipse.collections:eclipse-collections-forkjoin:10.4.0
//DEPS com.google.guava:guava:33.8.0-jre

package stores;

import families.FixedBytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Unavailable;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.serializer.SerializerCompressionWrapper;

/**
 * MapDB: a B-linked tree in a memory-mapped file, pumped in when loaded in bulk, without
 * transactions unless they have to last.
 */
public final class MapDb implements Store {

    private static final int NODE_ENTRIES = 32; // the default
    // What is larger is kept as a chain of records
    private static final int RECORD_BYTES = 64 << 10;

    public static void main(String... arguments) {
        Cli.run(new MapDb(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String book = "https://mapdb.org/book/";
        String maker =
                "https://mapdb.org/dokka/latest/mapdb/org.mapdb/-d-b-maker/-maker/index.html";
        return StoreDescriptor.of(
                        MapDb.class,
                        "MapDB",
                        StoreDescriptor.B_PLUS_TREE,
                        "#b5179e",
                        "org.mapdb:mapdb",
                        "a tree map of fixed-size byte arrays in a memory-mapped file; the data"
                                + " pump is its bulk load")
                .option(
                        "createFromSink",
                        "for the bulk load",
                        "the data pump builds the tree from its leaves up",
                        book + "btreemap/")
                .option(
                        "keySerializer, valueSerializer",
                        "fixed size, a node's in one array",
                        "as MapDB's own for int and long; a get unpacks one value, not 32",
                        book + "btreemap/")
                .option(
                        "maxNodeSize",
                        NODE_ENTRIES + " (default)",
                        "entries in a node",
                        book + "btreemap/")
                .option(
                        "valuesOutsideNodesEnable",
                        "on where a node of values exceeds a record of 64 KiB",
                        "a put would rewrite the node; with small values a scan would fetch a"
                                + " record for each",
                        book + "btreemap/")
                .option(
                        "fileMmapEnable",
                        "set",
                        "the page cache is the only cache; the default is a random-access file",
                        book + "performance/")
                .option(
                        "cleanerHackEnable",
                        "set",
                        "unmaps the file when it is closed, not when it is collected",
                        maker)
                .option(
                        "allocateStartSize",
                        "size of the flat array, or none where values are compressed",
                        "the file does not grow in small steps",
                        maker)
                .option(
                        "concurrencyDisable",
                        "set, where threads are not varied",
                        "no locks: one thread",
                        maker)
                .option(
                        "fileMmapPreclearDisable",
                        "off (default); on where writes are synchronous",
                        "each commit begins a log anew, and would first fill 1 MiB of it with"
                                + " zeros",
                        maker)
                .option(
                        "transactionEnable",
                        "off (default); on where writes are synchronous",
                        "the write-ahead log, which syncs at each commit",
                        book + "performance/")
                .setting(
                        Setting.SYNC,
                        "on: transactionEnable and a commit after each batch; os: no log, and each"
                            + " put changes the file's map, which survives the process, but opens"
                            + " with checksumHeaderBypass only")
                .setting(
                        Setting.COMPRESSION,
                        "off by default; on: SerializerCompressionWrapper (LZF), a node's values"
                                + " together")
                .fixed(
                        Setting.BATCH,
                        "1",
                        "commits sync, always: without its log it writes entry by entry")
                .fixed(Setting.MEMORY, "4", "its only cache is the system's")
                .setting(
                        Setting.THREADS,
                        "one concurrent map that all threads share; with its locks, at one thread"
                                + " too")
                .setting(
                        Setting.DEFAULTS,
                        "a random-access file instead of a map, locks, a file that grows in small"
                                + " steps");
    }

    @Override
    public String engine() throws IOException {
        Properties maven = new Properties();
        try (InputStream in =
                DB.class.getResourceAsStream("/META-INF/maven/org.mapdb/mapdb/pom.properties")) {
            maven.load(in);
        }
        return "MapDB " + maven.getProperty("version");
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        DBMaker.Maker maker = DBMaker.fileDB(directory.resolve("mapdb").toFile());
        if (!spec.vendorDefaults()) {
            maker.fileMmapEnable()
                    .cleanerHackEnable()
                    .allocateStartSize(spec.compressed(false) ? 0 : spec.flatBytes());
        }
        if (!spec.vendorDefaults() && !spec.shared()) {
            maker.concurrencyDisable();
        }
        if (spec.sync() == Sync.ON) {
            maker.transactionEnable().fileMmapPreclearDisable();
        }
        return new Tree(maker.make(), spec);
    }

    private static final class Tree implements Db {

        private final DB db;
        private final boolean synced;
        private final int batch; // entries between two commits
        private final DB.TreeMapMaker<byte[], byte[]> maker;
        private BTreeMap<byte[], byte[]> map; // null until it is loaded

        Tree(DB db, CaseSpec spec) {
            this.db = db;
            synced = spec.sync() == Sync.ON;
            batch = spec.count(Setting.BATCH, spec.entries());
            var values = new FixedBytes(spec.valueBytes());
            maker = db.treeMap("entries")
                    .keySerializer(new FixedBytes(spec.keys().bytes))
                    .valueSerializer(
                            spec.compressed(false)
                                    ? new SerializerCompressionWrapper<>(values)
                                    : values);
            if (NODE_ENTRIES * spec.valueBytes() > RECORD_BYTES) {
                maker.valuesOutsideNodesEnable();
            }
            if (db.exists("entries")) {
                map = maker.open();
            }
        }

        @Override
        public synchronized Writer writer() {
            if (map == null) {
                map = maker.create();
            }
            return new Puts(map, synced ? db : null, batch);
        }

        @Override
        public Writer loader() {
            return new Pump(this, maker.createFromSink());
        }

        @Override
        public Reader reader() {
            return new Reads(map);
        }

        @Override
        public void compact() {
            db.getStore().compact();
        }

        @Override
        public void close() {
            db.close();
        }
    }

    private record Pump(Tree tree, DB.TreeMapSink<byte[], byte[]> sink) implements Writer {

        @Override
        public void put(Entry entry) {
            sink.put(entry.newKey(), entry.newValue());
        }

        @Override
        public void close() {
            tree.map = sink.create();
        }
    }

    private static final class Puts implements Writer {

        private final BTreeMap<byte[], byte[]> map;
        private final DB committed; // null where there is no log: a put is then with the system
        private final int batch;
        private int left;

        Puts(BTreeMap<byte[], byte[]> map, DB committed, int batch) {
            this.map = map;
            this.committed = committed;
            this.batch = batch;
            this.left = batch;
        }

        @Override
        public void put(Entry entry) {
            map.put(entry.key(), entry.value());
            written();
        }

        @Override
        public void delete(Entry entry) {
            map.remove(entry.key());
            written();
        }

        private void written() {
            if (--left == 0) {
                close();
                left = batch;
            }
        }

        @Override
        public void commit() {
            if (committed == null) {
                throw new Unavailable("has no transactions without its log");
            }
            close();
            left = batch;
        }

        /** Every put is visible when it returns; it lasts when it is committed. */
        @Override
        public void close() {
            if (committed != null) {
                committed.commit();
            }
        }
    }

    private record Reads(BTreeMap<byte[], byte[]> map) implements Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] key = entry.key();
            byte[] value = map.get(key);
            if (value != null) {
                sink.accept(key, value);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            if (from == null && limit == ALL && direction == Direction.FORWARDS) {
                map.forEach(sink::accept); // from leaf to leaf, without an object for each entry
                return;
            }
            byte[] key = from == null ? null : from.key();
            Iterator<Map.Entry<byte[], byte[]>> entries = direction == Direction.FORWARDS
                    ? map.entryIterator(key, true, null, false)
                    : map.descendingEntryIterator(null, false, key, true);
            for (int left = limit; left > 0 && entries.hasNext(); left--) {
                Map.Entry<byte[], byte[]> entry = entries.next();
                sink.accept(entry.getKey(), entry.getValue());
            }
        }

        @Override
        public void close() {
            // Nothing is held between reads.
        }
    }
}
