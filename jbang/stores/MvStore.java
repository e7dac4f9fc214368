///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java
//DEPS com.h2database:h2-mvstore:2.4.240

package stores;

import java.nio.file.Path;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Shape;
import kv.Sink;
import kv.Store;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/** MVStore, the storage engine of H2: a multi-version B+ tree, copied on write and appended to a file in chunks. */
public final class MvStore implements Store {

    private static final String DOCS = "https://h2database.com/html/mvstore.html";
    private static final String API = "https://h2database.com/javadoc/org/h2/mvstore/";

    public static void main(String... arguments) {
        Cli.run(new MvStore(), arguments);
    }

    @Override
    public About about() {
        return About.of(MvStore.class, "MVStore", About.B_PLUS_TREE, "#7b2d8b", "com.h2database:h2-mvstore",
                        "a map of byte arrays: appended in order or put, committed once; cursors both ways");
    }

    @Override
    public String engine() {
        return "MVStore " + MVStore.class.getPackage().getImplementationVersion();
    }

    @Override
    public Db open(Path directory, Shape shape) {
        int mib = (int) Math.max(16, shape.flatBytes() * Integer.getInteger("t.cache", 4) >> 20);
        MVStore store = new MVStore.Builder().fileName(directory.resolve("mvstore").toString())
                .autoCommitDisabled()
                .cacheSize(mib)
                .keysPerPage(Integer.getInteger("t.kpp", 48))
                .pageSplitSize(Integer.getInteger("t.split", 16384))
                .autoCommitBufferSize(Integer.getInteger("t.buf", 1) == 0 ? 19*1024 : mib * 1024)
                .open();
        return new Pages(store, shape);
    }

    private static final class Pages implements Db, Writer, Reader {

        private final MVStore store;
        private final MVMap<byte[], byte[]> map;
        private final boolean append;

        Pages(MVStore store, Shape shape) {
            this.store = store;
            append = shape.sequential();
            var bytes = new MVMap.Builder<byte[], byte[]>().keyType(ByteArrayDataType.INSTANCE).valueType(ByteArrayDataType.INSTANCE);
            map = store.openMap("entries", append ? bytes.singleWriter() : bytes);
        }

        @Override
        public void put(Entry entry) {
            if (append) {
                map.append(entry.newKey(), entry.newValue());
            } else {
                map.put(entry.newKey(), entry.newValue());
            }
        }

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
        public Writer writer() {
            return new Writer() {
                @Override
                public void put(Entry entry) {
                    Pages.this.put(entry);
                }

                @Override
                public void close() {
                    store.commit();
                }
            };
        }

        @Override
        public Reader reader() {
            return new Reader() {
                @Override
                public void get(Entry entry, Sink sink) {
                    Pages.this.get(entry, sink);
                }

                @Override
                public void ascend(Sink sink) {
                    Pages.this.ascend(sink);
                }

                @Override
                public void descend(Sink sink) {
                    Pages.this.descend(sink);
                }

                @Override
                public void close() {
                }
            };
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
