///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/CacheSize.java
//DEPS com.h2database:h2:2.5.252

package stores;

import families.CacheSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import kv.cli.Cli;
import kv.store.Budget;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Value;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/**
 * MVStore, the storage engine of H2: a B+ tree copied on write, whose pages are appended to a file
 * in chunks.
 */
public class MvStore implements Store {

    private static final String FILE = "mvstore";
    private static final int COMPACT_FULLY = -1;
    private static final int KEYS_PER_PAGE = 48; // this and the next: the defaults
    private static final int PAGE_BYTES = 16 << 10;
    // A commit needs more than a buffer again, in one piece of the heap
    private static final int BUFFERS_IN_CACHE = 2;
    // Their commits overlap: in lack of heap one fails, and the next waits for it for ever
    private static final int THREADS_BUFFERS_IN_CACHE = 8;

    public static void main(String... arguments) {
        Cli.run(new MvStore(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String javadoc = "https://javadoc.io/static/com.h2database/h2/2.5.252/org/h2/mvstore/";
        return StoreDescriptor.of(
                        MvStore.class,
                        "MVStore",
                        StoreDescriptor.B_PLUS_TREE,
                        "#a04fb5",
                        "com.h2database:h2",
                        "a map of byte arrays, committed once; pages are Java objects, so reads"
                                + " copy nothing")
                .usage(
                        "append, singleWriter",
                        "for the bulk load",
                        "fills pages one after the other, without a search, but by number of keys"
                                + " alone: "
                                + KEYS_PER_PAGE + " to a page, however large",
                        javadoc + "MVMap.html#append(K,V)")
                .usage(
                        "close(-1)",
                        "for compaction",
                        "rewrites the file; compactFile leaves it as large",
                        javadoc + "MVStore.html#close(int)")
                .usage(
                        "commit",
                        "once, after all entries",
                        "one version; nothing is synced to disk",
                        javadoc + "MVStore.html#commit()")
                .option(Option.of(
                                "autoCommitDisabled",
                                Value.of("set", true),
                                "no background thread that commits every second",
                                javadoc + "MVStore.Builder.html#autoCommitDisabled()")
                        .sets(MVStore.Builder.class, (builder, set) -> builder.autoCommitDisabled())
                        .reads(MVStore.class, store -> store.getAutoCommitDelay() == 0)
                        .term())
                .option(Option.of(
                                "autoCommitBufferSize",
                                Value.in(
                                        "half of cacheSize, an eighth with threads",
                                        spec -> Math.toIntExact(bufferBytes(spec) >> 10)),
                                "a page is written once, not at each overflow; the default is 19"
                                        + " MiB",
                                javadoc + "MVStore.Builder.html#autoCommitBufferSize(int)")
                        .sets(MVStore.Builder.class, MVStore.Builder::autoCommitBufferSize)
                        .reads(MVStore.class, store -> store.getAutoCommitMemory() >> 10))
                .option(Option.of(
                                "cacheSize",
                                Value.in(
                                        CacheSize.ON_HEAP,
                                        spec -> Math.toIntExact(cacheBytes(spec) >> 20)),
                                "holds all data, as memory maps do for others; the default is 16"
                                        + " MiB",
                                javadoc + "MVStore.Builder.html#cacheSize(int)")
                        .sets(MVStore.Builder.class, MVStore.Builder::cacheSize)
                        .reads(MVStore.class, MVStore::getCacheSize)
                        .shipped(16))
                .usage(
                        "keyType, valueType",
                        "ByteArrayDataType",
                        "unsigned order; the default finds each object's type out",
                        javadoc + "type/ByteArrayDataType.html")
                .option(Option.of(
                                "keysPerPage, pageSplitSize",
                                Value.of(
                                        KEYS_PER_PAGE + ", " + (PAGE_BYTES >> 10)
                                                + " KiB (default)",
                                        KEYS_PER_PAGE),
                                "the size of a page, whichever is reached first",
                                javadoc + "MVStore.Builder.html#keysPerPage(int)")
                        .reads(MVStore.class, MVStore::getKeysPerPage))
                .option(Option.of(
                                "compress",
                                Value.in(
                                        "off (default)",
                                        spec -> spec.compressed(false) ? true : null),
                                "as for every store in this test",
                                javadoc + "MVStore.Builder.html#compress()")
                        .sets(MVStore.Builder.class, (builder, set) -> builder.compress())
                        .term())
                .setting(Setting.BATCH, "entries between two commits")
                .setting(
                        Setting.SYNC,
                        "on: sync after each commit; os: as off, since a commit writes the file")
                .setting(Setting.MEMORY, "cacheSize and autoCommitBufferSize")
                .setting(Setting.COMPRESSION, "off by default; on: compress (LZF)")
                .setting(
                        Setting.THREADS,
                        "one concurrent map; each thread commits when its share is written")
                .setting(Setting.DEFAULTS, "cacheSize 16 MiB, autoCommitBufferSize 19 MiB");
    }

    @Override
    public String engine() {
        return "MVStore " + MVStore.class.getPackage().getImplementationVersion();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        MVStore.Builder builder =
                new MVStore.Builder().fileName(directory.resolve(FILE).toString());
        return new Pages(describe().set(builder, spec), spec);
    }

    private static long cacheBytes(CaseSpec spec) {
        Budget memory = spec.memory();
        return memory == null ? CacheSize.onHeap(spec) : memory.cacheBytes();
    }

    private static long bufferBytes(CaseSpec spec) {
        Budget memory = spec.memory();
        return memory == null
                ? cacheBytes(spec) / (spec.shared() ? THREADS_BUFFERS_IN_CACHE : BUFFERS_IN_CACHE)
                : memory.writeBufferBytes();
    }

    private static final class Pages implements Db {

        private final MVStore.Builder builder;
        private final CaseSpec spec;
        private MVStore store;
        private MVMap<byte[], byte[]> map; // null until it is known how it is written

        Pages(MVStore.Builder builder, CaseSpec spec) {
            this.builder = builder;
            this.spec = spec;
            store = builder.open();
        }

        /** The map, which the first to ask for it opens. */
        private synchronized MVMap<byte[], byte[]> map(boolean appends) {
            if (map == null) {
                var type = new MVMap.Builder<byte[], byte[]>()
                        .keyType(ByteArrayDataType.INSTANCE)
                        .valueType(ByteArrayDataType.INSTANCE);
                map = store.openMap("entries", appends ? type.singleWriter() : type);
            }
            return map;
        }

        @Override
        public Writer writer() {
            return new Versions(store, map(false), spec);
        }

        @Override
        public Writer loader() {
            return new Appends(store, map(true), spec);
        }

        @Override
        public Reader reader() {
            return new Reads(map(false));
        }

        /** As H2's SHUTDOWN DEFRAG; compactFile leaves chunks of mostly dead pages as they are. */
        @Override
        public synchronized void compact() {
            store.close(COMPACT_FULLY);
            store = builder.open();
            map = null;
        }

        /** Its backup is an archive of its file. */
        @Override
        public void backup(Path directory) throws IOException {
            Path archive = directory.resolve("archive");
            try (var out = new ZipOutputStream(Files.newOutputStream(archive))) {
                out.setLevel(Deflater.NO_COMPRESSION);
                store.getFileStore().backup(out);
            }
            try (var in = new ZipInputStream(Files.newInputStream(archive))) {
                in.getNextEntry();
                Files.copy(in, directory.resolve(FILE));
            }
            Files.delete(archive);
        }

        @Override
        public List<Object> configured() {
            return List.of(store);
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private static class Versions implements Writer {

        final MVMap<byte[], byte[]> map;
        private final MVStore store;
        private final boolean sync;
        private final int batch;
        private int left;

        Versions(MVStore store, MVMap<byte[], byte[]> map, CaseSpec spec) {
            this.store = store;
            this.map = map;
            this.sync = spec.sync() == Sync.ON;
            this.batch = spec.count(Setting.BATCH, spec.entries());
            this.left = batch;
        }

        @Override
        public void put(Entry entry) {
            map.put(entry.newKey(), entry.newValue());
            written();
        }

        @Override
        public void delete(Entry entry) {
            map.remove(entry.key());
            written();
        }

        final void written() {
            if (--left == 0) {
                commit();
            }
        }

        @Override
        public void commit() {
            close();
            left = batch;
        }

        @Override
        public void close() {
            if (store.isClosed()) {
                return; // by a failure, which would come again as its own companion
            }
            store.commit();
            if (sync) {
                store.sync();
            }
        }
    }

    /** Entries in the order of their keys. */
    private static final class Appends extends Versions {

        Appends(MVStore store, MVMap<byte[], byte[]> map, CaseSpec spec) {
            super(store, map, spec);
        }

        @Override
        public void put(Entry entry) {
            map.append(entry.newKey(), entry.newValue());
            written();
        }
    }

    private record Reads(MVMap<byte[], byte[]> map) implements Reader {

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
            Cursor<byte[], byte[]> cursor = map.cursor(
                    from == null ? null : from.key(), null, direction == Direction.BACKWARDS);
            for (int left = limit; left > 0 && cursor.hasNext(); left--) {
                sink.accept(cursor.next(), cursor.getValue());
            }
        }

        @Override
        public void close() {
            // A cursor holds nothing but a version of the tree, which the collector releases with
            // it.
        }
    }
}
