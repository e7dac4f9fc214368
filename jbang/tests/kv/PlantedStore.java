package kv;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;

/**
 * A sorted map for several threads that gets one of some operations wrong, in the way it is told.
 */
public final class PlantedStore implements Store {

    /** What goes wrong. */
    public enum Fault {
        NONE,
        /** A put is acknowledged, and not done. */
        LOSES_PUTS,
        /** A delete is acknowledged, and not done. */
        LOSES_DELETES,
        /** A get gives the value before the last. */
        READS_STALE,
        /** A get gives nothing. */
        READS_NOTHING,
        /** A scan leaves an entry out. */
        LEAVES_OUT,
        /** A scan gives two entries in the wrong order. */
        SWAPS,
        /** A scan gives one entry too few. */
        ENDS_EARLY,
        /** None: a reader sees what there was when it was opened. */
        SNAPSHOTS
    }

    private static final int ONE_IN = 10;

    /** What goes wrong now, once in so many calls. */
    public volatile Fault fault = Fault.NONE;

    /** Readers that were opened. */
    public final AtomicInteger readers = new AtomicInteger();

    private final NavigableMap<byte[], byte[]> map =
            new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
    private final Map<ByteBuffer, byte[]> before = new ConcurrentHashMap<>(); // by key
    private final AtomicInteger calls = new AtomicInteger();

    /** Entries that are there. */
    public int size() {
        return map.size();
    }

    private boolean goesWrong(Fault now) {
        return fault == now && calls.incrementAndGet() % ONE_IN == 0;
    }

    @Override
    public StoreDescriptor describe() {
        return new MapStore().describe();
    }

    @Override
    public String engine() {
        return "ConcurrentSkipListMap";
    }

    /** As long as its directory has a file it is the database. */
    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        if (Files.notExists(directory.resolve("map"))) {
            Files.createFile(directory.resolve("map"));
            map.clear();
            before.clear();
        }
        return new Db() {
            @Override
            public Writer writer() {
                return new Writes();
            }

            @Override
            public Reader reader() {
                readers.incrementAndGet();
                return new Reads(fault == Fault.SNAPSHOTS ? new ConcurrentSkipListMap<>(map) : map);
            }

            @Override
            public void close() {}
        };
    }

    private final class Writes implements Writer {

        /** Takes keys as buffers, where readers take arrays. */
        @Override
        public void put(Entry entry) {
            byte[] key = new byte[entry.keyBytes()];
            entry.keyBuffer().get(key);
            if (!goesWrong(Fault.LOSES_PUTS)) {
                byte[] last = map.put(key, entry.newValue());
                if (last != null) {
                    before.put(ByteBuffer.wrap(key), last);
                }
            }
        }

        @Override
        public void delete(Entry entry) {
            if (!goesWrong(Fault.LOSES_DELETES)) {
                map.remove(entry.key());
            }
        }

        @Override
        public void close() {}
    }

    private final class Reads implements Reader {

        private final NavigableMap<byte[], byte[]> seen;

        Reads(NavigableMap<byte[], byte[]> seen) {
            this.seen = seen;
        }

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] value = seen.get(entry.key());
            byte[] last = before.get(ByteBuffer.wrap(entry.key()));
            if (value == null || goesWrong(Fault.READS_NOTHING)) {
                return;
            }
            sink.accept(entry.key(), last != null && goesWrong(Fault.READS_STALE) ? last : value);
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            List<Map.Entry<byte[], byte[]>> found = new ArrayList<>();
            byte[] first = from.newKey();
            var rest = direction == Direction.FORWARDS
                    ? seen.tailMap(first, true)
                    : seen.headMap(first, true).descendingMap();
            for (var each : rest.entrySet()) {
                if (found.size() == limit) {
                    break;
                }
                found.add(each);
            }
            boolean several = found.size() > 2;
            if (several && goesWrong(Fault.LEAVES_OUT)) {
                found.remove(1);
            }
            if (several && goesWrong(Fault.SWAPS)) {
                Collections.swap(found, 0, 1);
            }
            if (several && goesWrong(Fault.ENDS_EARLY)) {
                found.remove(found.size() - 1);
            }
            found.forEach(each -> sink.accept(each.getKey(), each.getValue()));
        }

        @Override
        public void close() {}
    }
}
