///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/CacheSize.java
//DEPS com.h2database:h2-mvstore:2.4.240

package stores;

import families.CacheSize;
import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.Budget;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/**
 * MVStore, the storage engine of H2: a B+ tree copied on write, whose pages are appended to a file
 * in chunks.
 */
public class MvStore implements Store {

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
        String javadoc =
                "https://javadoc.io/static/com.h2database/h2-mvstore/2.4.240/org/h2/mvstore/";
        return StoreDescriptor.of(
                        MvStore.class,
                        "MVStore",
                        StoreDescriptor.B_PLUS_TREE,
                        "#a04fb5",
                        "com.h2database:h2-mvstore",
                        "a map of byte arrays, appended to when sequential and committed once;"
                                + " pages are Java objects, so reads copy nothing")
                .option(
                        "append, singleWriter",
                        "for sequential keys, unless each commit would rewrite a page of large"
                                + " values",
                        "fills pages one after the other, without a search, but by number of keys"
                                + " alone: "
                                + KEYS_PER_PAGE + " to a page, however large",
                        javadoc + "MVMap.html#append(K,V)")
                .option(
                        "commit",
                        "once, after all entries",
                        "one version; nothing is synced to disk",
                        javadoc + "MVStore.html#commit()")
                .option(
                        "autoCommitDisabled",
                        "set",
                        "no background thread that commits every second",
                        javadoc + "MVStore.Builder.html#autoCommitDisabled()")
                .option(
                        "autoCommitBufferSize",
                        "half of cacheSize, an eighth with threads",
                        "a page is written once, not at each overflow; the default is 19 MiB",
                        javadoc + "MVStore.Builder.html#autoCommitBufferSize(int)")
                .option(
                        "cacheSize",
                        CacheSize.ON_HEAP,
                        "holds all data, as memory maps do for others; the default is 16 MiB",
                        javadoc + "MVStore.Builder.html#cacheSize(int)")
                .option(
                        "keyType, valueType",
                        "ByteArrayDataType",
                        "unsigned order; the default finds each object's type out",
                        javadoc + "type/ByteArrayDataType.html")
                .option(
                        "keysPerPage, pageSplitSize",
                        KEYS_PER_PAGE + ", " + (PAGE_BYTES >> 10) + " KiB (default)",
                        "the size of a page, whichever is reached first",
                        javadoc + "MVStore.Builder.html#keysPerPage(int)")
                .option(
                        "compress",
                        "off (default)",
                        "as for every store in this test",
                        javadoc + "MVStore.Builder.html#compress()")
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
        Budget memory = spec.memory();
        MVStore.Builder builder = new MVStore.Builder()
                .fileName(directory.resolve("mvstore").toString())
                .autoCommitDisabled();
        if (!spec.vendorDefaults()) {
            long cacheBytes = memory == null ? CacheSize.onHeap(spec) : memory.cacheBytes();
            long bufferBytes = memory == null
                    ? cacheBytes / (spec.shared() ? THREADS_BUFFERS_IN_CACHE : BUFFERS_IN_CACHE)
                    : memory.writeBufferBytes();
            builder.autoCommitBufferSize(Math.toIntExact(bufferBytes >> 10))
                    .cacheSize(Math.toIntExact(cacheBytes >> 20));
        }
        MVStore store = (spec.compressed(false) ? builder.compress() : builder).open();
        var type = new MVMap.Builder<byte[], byte[]>()
                .keyType(ByteArrayDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE);
        if (appends(spec)) {
            type.singleWriter();
        }
        return new Pages(store, store.openMap("entries", type), spec);
    }

    private static int batch(CaseSpec spec) {
        return spec.count(Setting.BATCH, spec.entries());
    }

    /**
     * Whether to append: not where each commit would rewrite a page that has outgrown its size, as
     * append lets it.
     */
    private static boolean appends(CaseSpec spec) {
        return spec.sequential()
                && (batch(spec) >= KEYS_PER_PAGE
                        || KEYS_PER_PAGE * spec.entryBytes() <= PAGE_BYTES);
    }

    private record Pages(MVStore store, MVMap<byte[], byte[]> map, CaseSpec spec) implements Db {

        @Override
        public Writer writer() {
            return new Versions(store, map, spec);
        }

        @Override
        public Reader reader() {
            return new Reads(map);
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private static final class Versions implements Writer {

        private final MVStore store;
        private final MVMap<byte[], byte[]> map;
        private final boolean appends;
        private final boolean sync;
        private final int batch;
        private int left;

        Versions(MVStore store, MVMap<byte[], byte[]> map, CaseSpec spec) {
            this.store = store;
            this.map = map;
            this.appends = appends(spec);
            this.sync = spec.sync() == Sync.ON;
            this.batch = batch(spec);
            this.left = batch;
        }

        @Override
        public void put(Entry entry) {
            if (appends) {
                map.append(entry.newKey(), entry.newValue());
            } else {
                map.put(entry.newKey(), entry.newValue());
            }
            if (--left == 0) {
                close();
                left = batch;
            }
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
        public void ascend(Sink sink) {
            scan(map.cursor(null), sink);
        }

        @Override
        public void descend(Sink sink) {
            scan(map.cursor(null, null, true), sink);
        }

        private static void scan(Cursor<byte[], byte[]> cursor, Sink sink) {
            while (cursor.hasNext()) {
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
