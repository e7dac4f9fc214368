///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java
//DEPS net.openhft:chronicle-map:2026.1

package stores;

import java.nio.file.Path;
import java.util.List;
import kv.cli.Cli;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Value;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import net.openhft.chronicle.map.VanillaChronicleMap;

/**
 * Chronicle Map: an off-heap hash table in a memory-mapped file, of a capacity that is fixed when
 * it is made.
 */
public class ChronicleMap implements Store {

    private static final String NO_ORDER = "a hash table keeps no order";

    public static void main(String... arguments) {
        Cli.run(new ChronicleMap(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                ChronicleMap.class,
                "Chronicle",
                "#2f9e44",
                Value.in("default", spec -> null),
                "many, among which it shares entries out by their hash, each with a lock");
    }

    /** The description but for the number of segments, and why it is that. */
    protected static StoreDescriptor describe(
            Class<? extends Store> script,
            String name,
            String colour,
            Value<Integer> segments,
            String why) {
        String javadoc = "https://javadoc.io/static/net.openhft/chronicle-map/2026.1/net/"
                + "openhft/chronicle/map/";
        String builder = javadoc + "ChronicleMapBuilder.html#";
        return StoreDescriptor.of(
                        script,
                        name,
                        StoreDescriptor.HASH_TABLE,
                        colour,
                        "net.openhft:chronicle-map",
                        "Chronicle Map persisted to a file; a value is copied once, into an array"
                                + " that is used again")
                .unsupported(Capability.SCAN, NO_ORDER)
                .option(Option.of(
                                "entries",
                                Value.in("as many as are written", spec -> (long) spec.entries()),
                                "the capacity is allocated when the map is made",
                                builder + "entries-long-")
                        .sets(ChronicleMapBuilder.class, ChronicleMapBuilder::entries))
                .option(Option.of(
                                "constantKeySizeBySample",
                                Value.in("key size", spec -> new byte[spec.keys().bytes]),
                                "no size is stored with the key",
                                builder + "constantKeySizeBySample-K-")
                        .sets(
                                ChronicleMapBuilder.class,
                                ChronicleMapBuilder::constantKeySizeBySample))
                .option(Option.of(
                                "constantValueSizeBySample",
                                Value.in("value size", spec -> new byte[spec.valueBytes()]),
                                "no size is stored with the value",
                                builder + "constantValueSizeBySample-V-")
                        .sets(
                                ChronicleMapBuilder.class,
                                ChronicleMapBuilder::constantValueSizeBySample))
                .option(Option.of("actualSegments", segments, why, builder + "actualSegments-int-")
                        .sets(ChronicleMapBuilder.class, ChronicleMapBuilder::actualSegments)
                        .reads(VanillaChronicleMap.class, VanillaChronicleMap::segments))
                .option(Option.of(
                                "checksumEntries",
                                Value.of("false", false),
                                "finds entries torn by a crash, and durability is off in this"
                                        + " test; the default is true",
                                builder + "checksumEntries-boolean-")
                        .sets(ChronicleMapBuilder.class, ChronicleMapBuilder::checksumEntries)
                        .reads(VanillaChronicleMap.class, map -> map.checksumEntries)
                        .shipped(true))
                .option(Option.of(
                                "putReturnsNull, removeReturnsNull",
                                Value.of("true", true),
                                "the value that is replaced or removed is not read; the default is"
                                        + " false",
                                builder + "putReturnsNull-boolean-")
                        .sets(ChronicleMapBuilder.class, (map, on) -> map.putReturnsNull(on)
                                .removeReturnsNull(on))
                        .shipped(false))
                .usage(
                        "getUsing",
                        "one array",
                        "no allocation for each entry read",
                        javadoc + "ChronicleMap.html#getUsing-K-V-")
                .usage(
                        "chronicle.analytics.disable",
                        "true",
                        "nothing is sent, and nothing written to the home directory",
                        "https://github.com/OpenHFT/Chronicle-Map/blob/ea/DISCLAIMER.adoc")
                // what was put is in the system's pages, and outlives the process
                .fixed(Setting.SYNC, "os", "has no call that makes what was put reach the device")
                .setting(Setting.THREADS, "one map, whose segments have a lock each");
    }

    @Override
    public final String engine() {
        return "Chronicle Map " + ChronicleMapBuilder.class.getPackage().getImplementationVersion();
    }

    @Override
    public final Db open(Path directory, CaseSpec spec) throws Exception {
        // JNA would unpack itself below the home directory
        System.setProperty("jna.tmpdir", System.getProperty("java.io.tmpdir"));
        ChronicleMapBuilder<byte[], byte[]> builder =
                describe().set(ChronicleMapBuilder.of(byte[].class, byte[].class), spec);
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
        public List<Object> configured() {
            return List.of(map);
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
        public void delete(Entry entry) {
            map.remove(entry.key());
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
        public void close() {
            // Nothing is held between reads.
        }
    }
}
