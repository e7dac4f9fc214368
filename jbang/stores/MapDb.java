///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java
//DEPS org.mapdb:mapdb:3.1.0

package stores;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Shape;
import kv.Sink;
import kv.Store;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.serializer.GroupSerializer;
import org.mapdb.serializer.SerializerByteArrayDelta2;

/** MapDB: a B-linked tree of byte arrays in a memory-mapped file, without transactions. */
public final class MapDb implements Store {

    public static void main(String... arguments) {
        Cli.run(new MapDb(), arguments);
    }

    @Override
    public About about() {
        return About.of(MapDb.class, "MapDB", About.B_PLUS_TREE, "#b5179e", "org.mapdb:mapdb", "x");
    }

    @Override
    public String engine() throws Exception {
        Properties maven = new Properties();
        maven.load(DB.class.getResourceAsStream("/META-INF/maven/org.mapdb/mapdb/pom.properties"));
        return "MapDB " + maven.getProperty("version");
    }

    @Override
    public Db open(Path directory, Shape shape) {
        var maker = DBMaker.fileDB(directory.resolve("mapdb").toFile())
                .fileMmapEnable().cleanerHackEnable().concurrencyDisable().allocateStartSize(shape.flatBytes());
        if (Boolean.getBoolean("t.preclear")) maker.fileMmapPreclearDisable();
        if (Long.getLong("t.incr") != null) maker.allocateIncrement(Long.getLong("t.incr"));
        return new Tree(maker.make(), shape);
    }

    private static final class Tree implements Db {

        private final DB db;
        private final Shape shape;
        private BTreeMap<byte[], byte[]> map;

        Tree(DB db, Shape shape) {
            this.db = db;
            this.shape = shape;
            if (db.exists("entries")) {
                map = maker().open();
            }
        }

        private DB.TreeMapMaker<byte[], byte[]> maker() {
            GroupSerializer<byte[]> ks = Boolean.getBoolean("t.delta") ? Serializer.BYTE_ARRAY_DELTA2 : Serializer.BYTE_ARRAY;
            GroupSerializer<byte[]> vs = Serializer.BYTE_ARRAY;
            if (Boolean.getBoolean("t.fixed")) {
                ks = new FixedBytes(shape.keys().bytes);
                vs = new FixedBytes(shape.valueBytes());
            }
            DB.TreeMapMaker<byte[], byte[]> m = db.treeMap("entries").keySerializer(ks).valueSerializer(vs);
            return m.maxNodeSize(Integer.getInteger("t.node", 32));
        }

        @Override
        public Writer writer() {
            if (shape.sequential()) {
                DB.TreeMapSink<byte[], byte[]> pump = maker().createFromSink();
                return new Writer() {
                    @Override
                    public void put(Entry entry) {
                        pump.put(entry.newKey(), entry.newValue());
                    }

                    @Override
                    public void close() {
                        map = pump.create();
                    }
                };
            }
            map = maker().create();
            return new Writer() {
                @Override
                public void put(Entry entry) {
                    map.put(entry.newKey(), entry.newValue());
                }

                @Override
                public void close() {
                }
            };
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
            if (Boolean.getBoolean("t.foreach")) {
            map.forEach(sink::accept);
            return;
            }
            scan(map.entryIterator(), sink);
        }

        @Override
        public void descend(Sink sink) {
            scan(map.descendingEntryIterator(), sink);
        }

        private static void scan(Iterator<Map.Entry<byte[], byte[]>> entries, Sink sink) {
            while (entries.hasNext()) {
                Map.Entry<byte[], byte[]> entry = entries.next();
                sink.accept(entry.getKey(), entry.getValue());
            }
        }

        @Override
        public void close() {
        }
    }

    static final class FixedBytes implements GroupSerializer<byte[]> {
        private final int width;
        FixedBytes(int width) { this.width = width; }
        @Override public boolean isTrusted() { return true; }
        @Override public int fixedSize() { return width; }
        @Override public void serialize(org.mapdb.DataOutput2 out, byte[] value) throws java.io.IOException { out.write(value); }
        @Override public byte[] deserialize(org.mapdb.DataInput2 in, int available) throws java.io.IOException { byte[] b = new byte[width]; in.readFully(b); return b; }
        @Override public int compare(byte[] a, byte[] b) { return java.util.Arrays.compareUnsigned(a, b); }
        @Override public boolean equals(byte[] a, byte[] b) { return java.util.Arrays.equals(a, b); }
        @Override public int hashCode(byte[] a, int seed) { return java.util.Arrays.hashCode(a); }
        private int cmp(byte[] packed, int pos, byte[] key) {
            return java.util.Arrays.compareUnsigned(packed, pos * width, pos * width + width, key, 0, width);
        }
        @Override public int valueArraySearch(Object keys, byte[] key) {
            byte[] p = (byte[]) keys; int lo = 0, hi = p.length / width - 1;
            while (lo <= hi) { int mid = (lo + hi) >>> 1; int c = cmp(p, mid, key); if (c < 0) lo = mid + 1; else if (c > 0) hi = mid - 1; else return mid; }
            return -lo - 1;
        }
        @Override public int valueArraySearch(Object keys, byte[] key, java.util.Comparator c) { return valueArraySearch(keys, key); }
        @Override public void valueArraySerialize(org.mapdb.DataOutput2 out, Object vals) throws java.io.IOException { out.write((byte[]) vals); }
        @Override public Object valueArrayDeserialize(org.mapdb.DataInput2 in, int size) throws java.io.IOException { byte[] b = new byte[size * width]; in.readFully(b); return b; }
        @Override public byte[] valueArrayGet(Object vals, int pos) { return java.util.Arrays.copyOfRange((byte[]) vals, pos * width, pos * width + width); }
        @Override public byte[] valueArrayBinaryGet(org.mapdb.DataInput2 in, int size, int pos) throws java.io.IOException { in.skipBytes(pos * width); return deserialize(in, -1); }
        @Override public int valueArraySize(Object vals) { return ((byte[]) vals).length / width; }
        @Override public Object valueArrayEmpty() { return new byte[0]; }
        @Override public Object valueArrayPut(Object vals, int pos, byte[] v) {
            byte[] old = (byte[]) vals; byte[] b = java.util.Arrays.copyOf(old, old.length + width); int at = pos * width;
            System.arraycopy(v, 0, b, at, width); System.arraycopy(old, at, b, at + width, old.length - at); return b;
        }
        @Override public Object valueArrayUpdateVal(Object vals, int pos, byte[] v) { byte[] b = ((byte[]) vals).clone(); System.arraycopy(v, 0, b, pos * width, width); return b; }
        @Override public Object valueArrayFromArray(Object[] o) { byte[] b = new byte[o.length * width]; for (int i = 0; i < o.length; i++) System.arraycopy(o[i], 0, b, i * width, width); return b; }
        @Override public Object valueArrayCopyOfRange(Object vals, int from, int to) { return java.util.Arrays.copyOfRange((byte[]) vals, from * width, to * width); }
        @Override public Object valueArrayDeleteValue(Object vals, int pos) { byte[] old = (byte[]) vals; byte[] b = java.util.Arrays.copyOf(old, old.length - width); System.arraycopy(old, pos * width, b, (pos - 1) * width, old.length - pos * width); return b; }
    }
}
