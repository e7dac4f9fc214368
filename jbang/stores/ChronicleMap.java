///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java
//DEPS net.openhft:chronicle-map:2026.1

package stores;

import java.nio.file.Path;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Shape;
import kv.Sink;
import kv.Store;
import kv.Workload;
import net.openhft.chronicle.hash.Data;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import net.openhft.chronicle.map.ExternalMapQueryContext;
import net.openhft.chronicle.map.MapEntry;

/** Chronicle Map. */
public final class ChronicleMap implements Store {

    public static void main(String... arguments) {
        Cli.run(new ChronicleMap(), arguments);
    }

    @Override
    public About about() {
        About about = About.of(ChronicleMap.class, "Chronicle", About.HASH_TABLE, "#2f9e44", "net.openhft:chronicle-map", "x");
        for (Workload scan : new Workload[]{Workload.READ_SEQ, Workload.READ_REV, Workload.READ_CRC, Workload.READ_XXH64}) {
            about = about.cannot(scan, "a hash table keeps no order");
        }
        return about;
    }

    @Override
    public String engine() {
        return "Chronicle Map " + ChronicleMapBuilder.class.getPackage().getImplementationVersion();
    }

    @Override
    public Db open(Path directory, Shape shape) throws Exception {
        ChronicleMapBuilder<byte[], byte[]> b = ChronicleMapBuilder.of(byte[].class, byte[].class)
                .constantKeySizeBySample(new byte[shape.keys().bytes])
                .constantValueSizeBySample(new byte[shape.valueBytes()])
                .entries(shape.entries())
                .putReturnsNull(true);
        if (Boolean.getBoolean("t.nosum")) b.checksumEntries(false);
        if (Integer.getInteger("t.seg") != null) b.actualSegments(Integer.getInteger("t.seg"));
        return new Table(b.createPersistedTo(directory.resolve("chronicle").toFile()), new byte[shape.valueBytes()]);
    }

    private record Table(net.openhft.chronicle.map.ChronicleMap<byte[], byte[]> map, byte[] value) implements Db {

        @Override
        public Writer writer() {
            return new Writer() {
                @Override
                public void put(Entry entry) {
                    map.put(entry.key(), entry.value());
                }

                @Override
                public void close() {
                }
            };
        }

        @Override
        public Reader reader() {
            return new Reader() {
                @Override
                public void get(Entry entry, Sink sink) {
                    byte[] key = entry.key();
                    if (Boolean.getBoolean("t.q")) {
                    try (ExternalMapQueryContext<byte[], byte[], ?> query = map.queryContext(key)) {
                        query.readLock().lock();
                        MapEntry<byte[], byte[]> found = query.entry();
                        if (found != null) {
                            Data<byte[]> k = found.key(), v = found.value();
                            sink.accept(k.bytes().addressForRead(k.offset()), (int) k.size(), v.bytes().addressForRead(v.offset()), (int) v.size());
                        }
                    }
                    return;
                    }
                    if (map.getUsing(key, value) != null) {
                        sink.accept(key, value);
                    }
                }

                @Override
                public void ascend(Sink sink) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void descend(Sink sink) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void close() {
                }
            };
        }

        @Override
        public void close() {
            map.close();
        }
    }
}
