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
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Unavailable;
import kv.store.Value;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.StoreDirectAbstract;
import org.mapdb.StoreWAL;
import org.mapdb.serializer.GroupSerializer;
import org.mapdb.serializer.SerializerCompressionWrapper;
import org.mapdb.volume.MappedFileVol;

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
                .usage(
                        "createFromSink",
                        "for the bulk load",
                        "the data pump builds the tree from its leaves up",
                        book + "btreemap/")
                .option(Option.of(
                                "keySerializer, valueSerializer",
                                Value.in("fixed size, a node's in one array", MapDb::fixedSize),
                                "as MapDB's own for int and long; a get unpacks one value, not 32",
                                book + "btreemap/")
                        .sets(Nodes.class, Nodes::serialize)
                        .reads(BTreeMap.class, MapDb::serializers)
                        .shipped(List.of(Serializer.BYTE_ARRAY, Serializer.BYTE_ARRAY)))
                .option(Option.of(
                                "maxNodeSize",
                                Value.of(NODE_ENTRIES + " (default)", NODE_ENTRIES),
                                "entries in a node",
                                book + "btreemap/")
                        .reads(BTreeMap.class, BTreeMap::getMaxNodeSize))
                .option(Option.of(
                                "valuesOutsideNodesEnable",
                                Value.in(
                                        "on where a node of values exceeds a record of 64 KiB",
                                        spec -> NODE_ENTRIES * spec.valueBytes() > RECORD_BYTES
                                                ? true
                                                : null),
                                "a put would rewrite the node; with small values a scan would"
                                        + " fetch a record for each",
                                book + "btreemap/")
                        .sets(Nodes.class, (nodes, on) -> nodes.valuesOutside = on))
                .option(Option.of(
                                "fileMmapEnable",
                                Value.of("set", true),
                                "the page cache is the only cache; the default is a random-access"
                                        + " file",
                                book + "performance/")
                        .sets(DBMaker.Maker.class, (to, on) -> to.fileMmapEnable())
                        .reads(StoreDirectAbstract.class, MapDb::isMapped)
                        .shipped(false))
                .option(Option.of(
                                "cleanerHackEnable",
                                Value.of("set", true),
                                "unmaps the file when it is closed, not when it is collected",
                                maker)
                        .sets(DBMaker.Maker.class, (to, on) -> to.cleanerHackEnable()))
                .option(Option.of(
                                "allocateStartSize",
                                Value.in(
                                        "size of the flat array, or none where values are"
                                                + " compressed",
                                        spec -> spec.compressed(false) ? 0 : spec.flatBytes()),
                                "the file does not grow in small steps",
                                maker)
                        .sets(DBMaker.Maker.class, DBMaker.Maker::allocateStartSize))
                .option(Option.of(
                                "concurrencyDisable",
                                Value.in(
                                        "set, where threads are not varied",
                                        spec -> spec.shared() ? null : true),
                                "no locks: one thread",
                                maker)
                        .sets(DBMaker.Maker.class, (to, on) -> to.concurrencyDisable())
                        .reads(StoreDirectAbstract.class, told -> !told.isThreadSafe())
                        .shipped(false))
                .option(Option.of(
                                "fileMmapPreclearDisable",
                                Value.in(
                                        "off (default); on where writes are synchronous",
                                        spec -> spec.sync() == Sync.ON ? true : null),
                                "each commit begins a log anew, and would first fill 1 MiB of it"
                                        + " with zeros",
                                maker)
                        .sets(DBMaker.Maker.class, (to, on) -> to.fileMmapPreclearDisable()))
                .option(Option.of(
                                "transactionEnable",
                                Value.in(
                                        "off (default); on where writes are synchronous",
                                        spec -> spec.sync() == Sync.ON ? true : null),
                                "the write-ahead log, which syncs at each commit",
                                book + "performance/")
                        .sets(DBMaker.Maker.class, (to, on) -> to.transactionEnable())
                        .reads(StoreDirectAbstract.class, StoreWAL.class::isInstance)
                        .shipped(false)
                        .term())
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
                                + " steps, BYTE_ARRAY serializers, all values in nodes");
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
        StoreDescriptor described = describe();
        return new Tree(described.set(maker, spec).make(), described.set(new Nodes(), spec), spec);
    }

    /** Serializers of keys and of values. */
    private static List<GroupSerializer<byte[]>> fixedSize(CaseSpec spec) {
        return List.of(new FixedBytes(spec.keys().bytes), new FixedBytes(spec.valueBytes()));
    }

    private static boolean isMapped(StoreDirectAbstract store) {
        return store.getVolumeFactory() instanceof MappedFileVol.MappedFileFactory;
    }

    /** Its serializers; null where one is wrapped to compress. */
    private static List<GroupSerializer<byte[]>> serializers(BTreeMap<byte[], byte[]> map) {
        return map.getValueSerializer() instanceof SerializerCompressionWrapper
                ? null
                : List.of(map.getKeySerializer(), map.getValueSerializer());
    }

    /** What is in a node of the tree, and how. */
    private static final class Nodes {

        GroupSerializer<byte[]> keys = Serializer.BYTE_ARRAY;
        GroupSerializer<byte[]> values = Serializer.BYTE_ARRAY;
        boolean valuesOutside;

        void serialize(List<GroupSerializer<byte[]>> keysAndValues) {
            keys = keysAndValues.get(0);
            values = keysAndValues.get(1);
        }
    }

    private static final class Tree implements Db {

        private final DB db;
        private final boolean synced;
        private final int batch; // entries between two commits
        private final DB.TreeMapMaker<byte[], byte[]> maker;
        private BTreeMap<byte[], byte[]> map; // null until it is loaded

        Tree(DB db, Nodes nodes, CaseSpec spec) {
            this.db = db;
            synced = spec.sync() == Sync.ON;
            batch = spec.count(Setting.BATCH, spec.entries());
            maker = db.treeMap("entries")
                    .keySerializer(nodes.keys)
                    .valueSerializer(
                            spec.compressed(false)
                                    ? new SerializerCompressionWrapper<>(nodes.values)
                                    : nodes.values);
            if (nodes.valuesOutside) {
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
        public List<Object> configured() {
            return List.of(db.getStore(), map);
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
