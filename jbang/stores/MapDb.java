///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java
// MapDB's POM asks for version ranges: hundreds of downloads, and other jars each month. @fatjar ignores it, and what it needs is named here.
//DEPS org.mapdb:mapdb:3.1.0@fatjar org.mapdb:elsa:3.0.0-M5 org.jetbrains.kotlin:kotlin-stdlib:1.9.25 net.jpountz.lz4:lz4:1.3.0
//DEPS org.eclipse.collections:eclipse-collections-api:10.4.0 org.eclipse.collections:eclipse-collections:10.4.0
//DEPS org.eclipse.collections:eclipse-collections-forkjoin:10.4.0 com.google.guava:guava:33.8.0-jre

package stores;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Setting;
import kv.Shape;
import kv.Sink;
import kv.Store;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.serializer.GroupSerializer;

/** MapDB: a B-linked tree in a memory-mapped file, pumped in when sequential, without transactions. */
public final class MapDb implements Store {

    public static void main(String... arguments) {
        Cli.run(new MapDb(), arguments);
    }

    @Override
    public About about() {
        String book = "https://mapdb.org/book/";
        String maker = "https://mapdb.org/dokka/latest/mapdb/org.mapdb/-d-b-maker/-maker/index.html";
        return About.of(MapDb.class, "MapDB", About.B_PLUS_TREE, "#b5179e", "org.mapdb:mapdb",
                        "a tree map of fixed-size byte arrays in a memory-mapped file; the data pump loads sequential keys")
                .option("createFromSink", "for sequential keys", "the data pump builds the tree from its leaves up", book + "btreemap/")
                .option("keySerializer, valueSerializer", "fixed size, a node's in one array", "as MapDB's own for int and long; a get unpacks one value, not 32", book + "btreemap/")
                .option("maxNodeSize", "32 (default)", "entries in a node", book + "btreemap/")
                .option("valuesOutsideNodesEnable", "off (default)", "values are small, and a scan would fetch a record for each", book + "btreemap/")
                .option("fileMmapEnable", "set", "the page cache is the only cache; the default is a random-access file", book + "performance/")
                .option("cleanerHackEnable", "set", "unmaps the file when it is closed, not when it is collected", maker)
                .option("allocateStartSize", "size of the flat array", "the file does not grow in small steps", maker)
                .option("concurrencyDisable", "set, where threads are not varied", "no locks: one thread", maker)
                .option("transactionEnable", "off (default)", "durability is off in this test: no write-ahead log", book + "performance/")
                .setting(Setting.THREADS, "one concurrent map that all threads share; with its locks, at one thread too")
                .setting(Setting.DEFAULTS, "a random-access file instead of a map, locks, a file that grows in small steps");
    }

    @Override
    public String engine() throws IOException {
        Properties maven = new Properties();
        try (InputStream in = DB.class.getResourceAsStream("/META-INF/maven/org.mapdb/mapdb/pom.properties")) {
            maven.load(in);
        }
        return "MapDB " + maven.getProperty("version");
    }

    @Override
    public Db open(Path directory, Shape shape) {
        DBMaker.Maker maker = DBMaker.fileDB(directory.resolve("mapdb").toFile());
        if (!shape.asShipped()) {
            maker.fileMmapEnable().cleanerHackEnable().allocateStartSize(shape.flatBytes());
        }
        if (!shape.asShipped() && !shape.shared()) {
            maker.concurrencyDisable();
        }
        return new Tree(maker.make(), shape);
    }

    private static final class Tree implements Db {

        private final DB db;
        private final boolean sequential;
        private final DB.TreeMapMaker<byte[], byte[]> maker;
        private BTreeMap<byte[], byte[]> map;  // null until it is loaded

        Tree(DB db, Shape shape) {
            this.db = db;
            sequential = shape.sequential();
            maker = db.treeMap("entries").keySerializer(new FixedBytes(shape.keys().bytes))
                    .valueSerializer(new FixedBytes(shape.valueBytes()));
            if (db.exists("entries")) {
                map = maker.open();
            }
        }

        @Override
        public synchronized Writer writer() {
            if (sequential) {
                return new Pump(this, maker.createFromSink());
            }
            if (map == null) {
                map = maker.create();
            }
            return new Puts(map);
        }

        @Override
        public Reader reader() {
            return new Reads(map);
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

    private record Puts(BTreeMap<byte[], byte[]> map) implements Writer {

        @Override
        public void put(Entry entry) {
            map.put(entry.key(), entry.value());
        }

        @Override
        public void close() {
            // Every put is visible when it returns.
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
        public void ascend(Sink sink) {
            map.forEach(sink::accept);  // goes from leaf to leaf without an object for each entry
        }

        @Override
        public void descend(Sink sink) {
            for (Iterator<Map.Entry<byte[], byte[]>> entries = map.descendingEntryIterator(); entries.hasNext(); ) {
                Map.Entry<byte[], byte[]> entry = entries.next();
                sink.accept(entry.getKey(), entry.getValue());
            }
        }

        @Override
        public void close() {
            // Nothing is held between reads.
        }
    }

    /**
     * Byte arrays of one known size, in unsigned order. A node's are kept end to end in one array, as MapDB's own
     * serializers of fixed-size types do; its BYTE_ARRAY makes an array of each whenever a node is read.
     */
    private record FixedBytes(int width) implements GroupSerializer<byte[]> {

        @Override
        public boolean isTrusted() {
            return true;  // reads no more than it wrote
        }

        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }

        @Override
        public void serialize(DataOutput2 out, byte[] value) throws IOException {
            out.write(value);
        }

        @Override
        public byte[] deserialize(DataInput2 in, int available) throws IOException {
            return read(in, width);
        }

        private static byte[] read(DataInput2 in, int bytes) throws IOException {
            byte[] read = new byte[bytes];
            in.readFully(read);
            return read;
        }

        @Override
        public int valueArraySearch(Object group, byte[] key) {
            int low = 0;
            int high = valueArraySize(group) - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                int order = Arrays.compareUnsigned((byte[]) group, middle * width, (middle + 1) * width, key, 0, width);
                if (order == 0) {
                    return middle;
                } else if (order < 0) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return -(low + 1);
        }

        @Override
        public int valueArraySearch(Object group, byte[] key, @SuppressWarnings("rawtypes") Comparator comparator) {
            return valueArraySearch(group, key);  // the comparator is this serializer
        }

        @Override
        public void valueArraySerialize(DataOutput2 out, Object group) throws IOException {
            out.write((byte[]) group);
        }

        @Override
        public Object valueArrayDeserialize(DataInput2 in, int size) throws IOException {
            return read(in, size * width);
        }

        @Override
        public byte[] valueArrayBinaryGet(DataInput2 in, int size, int index) throws IOException {
            in.skipBytes(index * width);
            return read(in, width);
        }

        @Override
        public byte[] valueArrayGet(Object group, int index) {
            return Arrays.copyOfRange((byte[]) group, index * width, (index + 1) * width);
        }

        @Override
        public int valueArraySize(Object group) {
            return ((byte[]) group).length / width;
        }

        @Override
        public Object valueArrayEmpty() {
            return new byte[0];
        }

        @Override
        public Object valueArrayPut(Object group, int index, byte[] value) {
            byte[] old = (byte[]) group;
            byte[] longer = Arrays.copyOf(old, old.length + width);
            System.arraycopy(old, index * width, longer, (index + 1) * width, old.length - index * width);
            System.arraycopy(value, 0, longer, index * width, width);
            return longer;
        }

        @Override
        public Object valueArrayUpdateVal(Object group, int index, byte[] value) {
            byte[] changed = ((byte[]) group).clone();
            System.arraycopy(value, 0, changed, index * width, width);
            return changed;
        }

        @Override
        public Object valueArrayFromArray(Object[] values) {
            byte[] group = new byte[values.length * width];
            for (int i = 0; i < values.length; i++) {
                System.arraycopy(values[i], 0, group, i * width, width);
            }
            return group;
        }

        @Override
        public Object valueArrayCopyOfRange(Object group, int from, int to) {
            return Arrays.copyOfRange((byte[]) group, from * width, to * width);
        }

        @Override
        public Object valueArrayDeleteValue(Object group, int end) {  // MapDB's own remove the value before this index
            byte[] old = (byte[]) group;
            byte[] shorter = Arrays.copyOf(old, old.length - width);
            System.arraycopy(old, end * width, shorter, (end - 1) * width, old.length - end * width);
            return shorter;
        }
    }
}
