///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java
//DEPS net.openhft:chronicle-map:2026.1

package stores;

import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Workload;
import net.openhft.chronicle.map.ChronicleMapBuilder;

/**
 * Chronicle Map: an off-heap hash table in a memory-mapped file, of a capacity that is fixed when
 * it is made.
 */
public final class ChronicleMap implements Store {

    private static final String NO_ORDER = "a hash table keeps no order";

    public static void main(String... arguments) {
        Cli.run(new ChronicleMap(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String javadoc = "https://javadoc.io/static/net.openhft/chronicle-map/2026.1/net/"
                + "openhft/chronicle/map/";
        String builder = javadoc + "ChronicleMapBuilder.html#";
        return StoreDescriptor.of(
                        ChronicleMap.class,
                        "Chronicle",
                        StoreDescriptor.HASH_TABLE,
                        "#2f9e44",
                        "net.openhft:chronicle-map",
                        "Chronicle Map persisted to a file; a value is copied once, into an array"
                                + " that is used again")
                .unsupported(Workload.READ_SEQ, NO_ORDER)
                .unsupported(Workload.READ_REV, NO_ORDER)
                .unsupported(Workload.READ_CRC, NO_ORDER)
                .unsupported(Workload.READ_XXH64, NO_ORDER)
                .option(
                        "entries",
                        "as many as are written",
                        "the capacity is allocated when the map is made",
                        builder + "entries-long-")
                .option(
                        "constantKeySizeBySample",
                        "key size",
                        "no size is stored with the key",
                        builder + "constantKeySizeBySample-K-")
                .option(
                        "constantValueSizeBySample",
                        "value size",
                        "no size is stored with the value",
                        builder + "constantValueSizeBySample-V-")
                .option(
                        "actualSegments",
                        "1, where threads are not varied",
                        "one thread writes: entries lie in the order of writing; the default"
                                + " shares out to many",
                        builder + "actualSegments-int-")
                .option(
                        "checksumEntries",
                        "false",
                        "finds entries torn by a crash, and durability is off in this test; the"
                                + " default is true",
                        builder + "checksumEntries-boolean-")
                .option(
                        "putReturnsNull",
                        "true",
                        "put does not read the value that it replaces; the default is false",
                        builder + "putReturnsNull-boolean-")
                .option(
                        "getUsing",
                        "one array",
                        "no allocation for each entry read",
                        javadoc + "ChronicleMap.html#getUsing-K-V-")
                .option(
                        "chronicle.analytics.disable",
                        "true",
                        "nothing is sent, and nothing written to the home directory",
                        "https://github.com/OpenHFT/Chronicle-Map/blob/ea/DISCLAIMER.adoc")
                .setting(
                        Setting.THREADS,
                        "one map of many segments, as many as its default, each with a lock of its"
                                + " own");
    }

    @Override
    public String engine() {
        return "Chronicle Map " + ChronicleMapBuilder.class.getPackage().getImplementationVersion();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        // JNA would unpack itself below the home directory
        System.setProperty("jna.tmpdir", System.getProperty("java.io.tmpdir"));
        ChronicleMapBuilder<byte[], byte[]> builder = ChronicleMapBuilder.of(
                        byte[].class, byte[].class)
                .entries(spec.entries())
                .constantKeySizeBySample(new byte[spec.keys().bytes])
                .constantValueSizeBySample(new byte[spec.valueBytes()])
                .checksumEntries(false)
                .putReturnsNull(true);
        if (!spec.shared()) {
            builder.actualSegments(1);
        }
        return new Table(
                builder.createPersistedTo(directory.resolve("chronicle").toFile()),
                spec.valueBytes());
    }

    private record Table(net.openhft.chronicle.map.ChronicleMap<byte[], byte[]> map, int valueBytes)
            implements Db {

        @Override
        public Writer writer() {
            return new Puts(map);
        }

        @Override
        public Reader reader() {
            return new Gets(map, new byte[valueBytes]);
        }

        @Override
        public void close() {
            map.close();
        }
    }

    private record Puts(net.openhft.chronicle.map.ChronicleMap<byte[], byte[]> map)
            implements Writer {

        @Override
        public void put(Entry entry) {
            map.put(entry.key(), entry.value());
        }

        @Override
        public void close() {
            // Every put is visible when it returns.
        }
    }

    /** @param value receives every value read */
    private record Gets(net.openhft.chronicle.map.ChronicleMap<byte[], byte[]> map, byte[] value)
            implements Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] key = entry.key();
            if (map.getUsing(key, value) != null) {
                sink.accept(key, value);
            }
        }

        @Override
        public void ascend(Sink sink) {
            throw new UnsupportedOperationException(NO_ORDER);
        }

        @Override
        public void descend(Sink sink) {
            throw new UnsupportedOperationException(NO_ORDER);
        }

        @Override
        public void close() {
            // Nothing is held between reads.
        }
    }
}
