package kv;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entries;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;

/**
 * A store for tests: a sorted map, which is the database as long as there is a file in its
 * directory.
 */
public class MapStore implements Store {

    private NavigableMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                        MapStore.class,
                        "Map",
                        StoreDescriptor.CONTROL,
                        "#ff0000",
                        "",
                        "a sorted map")
                .setting(Setting.SYNC, "nothing")
                .setting(Setting.THREADS, "queue for the map")
                .setting(Setting.WRITES, "queue for the map")
                .setting(Setting.LOAD, "sequential")
                .fixed(Setting.COMPRESSION, "off", "does not compress");
    }

    @Override
    public String engine() {
        return "TreeMap";
    }

    /** What is stored of a value: for stores that get it wrong. */
    protected byte[] stored(Entry entry) {
        return entry.newValue();
    }

    /** What it does when a load is complete. */
    protected void afterLoad() {}

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        Path file = directory.resolve("map");
        if (!Files.exists(file)) {
            Files.createFile(file);
            map = new TreeMap<>(Arrays::compareUnsigned);
        }
        NavigableMap<byte[], byte[]> entries = map;
        return new Db() {
            @Override
            public Writer writer() {
                return new Writer() {
                    @Override
                    public void put(Entry entry) {
                        synchronized (entries) {
                            entries.put(entry.newKey(), stored(entry));
                        }
                    }

                    @Override
                    public void delete(Entry entry) {
                        synchronized (entries) {
                            entries.remove(entry.key());
                        }
                    }

                    @Override
                    public void close() {
                        afterLoad();
                    }
                };
            }

            /** Refuses what does not come in order. */
            @Override
            public Writer loader() {
                return new Writer() {
                    @Override
                    public void put(Entry entry) {
                        if (!entries.isEmpty()
                                && Arrays.compareUnsigned(entry.key(), entries.lastKey()) <= 0) {
                            throw new IllegalStateException("not in order: " + entry);
                        }
                        entries.put(entry.newKey(), stored(entry));
                    }

                    @Override
                    public void close() {
                        afterLoad();
                    }
                };
            }

            @Override
            public Reader reader() {
                return new Reads(entries);
            }

            @Override
            public void compact() {
                // What was deleted takes no space.
            }

            @Override
            public void close() {}
        };
    }

    private record Reads(NavigableMap<byte[], byte[]> entries) implements Store.Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            synchronized (entries) {
                byte[] value = entries.get(entry.key());
                if (value != null) {
                    sink.accept(entry.key(), value);
                }
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            synchronized (entries) {
                var sorted = direction == Direction.FORWARDS ? entries : entries.descendingMap();
                var rest = from == null ? sorted : sorted.tailMap(from.key(), true);
                rest.entrySet().stream()
                        .limit(limit)
                        .forEach(each -> sink.accept(each.getKey(), each.getValue()));
            }
        }

        @Override
        public void multiGet(Entries wanted, Sink sink) {
            for (int place = 0; place < wanted.count(); place++) {
                get(wanted.at(place), sink);
            }
        }

        @Override
        public void close() {}
    }
}
