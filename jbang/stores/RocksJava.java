///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/RocksSide.java ../families/RocksBackup.java

package stores;

import families.RocksBackup;
import families.RocksOptions;
import families.RocksSide;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entries;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.StoreDescriptor;
import org.rocksdb.ByteBufferGetStatus;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * RocksDB from Java through JNI, as the source's benchmark used it, and with the calls that came
 * since.
 */
public final class RocksJava extends RocksSide {

    private static final int KEYS_PER_CALL = 100; // keys of a multiGet
    private static final List<String> CALLS =
            List.of("classic", "array", "direct", "multi", "multi-direct");

    public static void main(String... arguments) {
        Cli.run(new RocksJava(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                RocksJava.class,
                "RocksJava",
                "#c2410c",
                "RocksDB through its own JNI binding",
                "classic: as in 2014, a new array for each key and value; array: arrays used"
                        + " again; direct: direct buffers; "
                        + "multi, multi-direct: %d keys a get, as arrays or direct buffers"
                                .formatted(KEYS_PER_CALL));
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws RocksDBException {
        String calls = spec.calls(CALLS, "classic");
        RocksDB.loadLibrary();
        Options options = parsed();
        RocksDB db = RocksDB.open(options, directory.toString());
        return new Db() {
            @Override
            public Writer writer() {
                return new Puts(db, calls.endsWith("direct"));
            }

            @Override
            public Reader reader() {
                return switch (calls) {
                    case "array" -> new Arrays(db, spec);
                    case "direct" -> new Direct(db, spec);
                    case "multi" -> new Multi(db);
                    case "multi-direct" -> new MultiDirect(db, spec);
                    default -> new Classic(db);
                };
            }

            @Override
            public void compact() throws RocksDBException {
                db.compactRange();
            }

            @Override
            public void backup(Path copy) throws IOException, RocksDBException {
                RocksBackup.into(copy, db);
            }

            @Override
            public List<Object> configured() throws IOException {
                return List.of(new RocksOptions(directory));
            }

            @Override
            public void close() {
                db.close();
                options.close();
            }
        };
    }

    /** The options that every side has, which RocksDB reads from text. */
    private static Options parsed() {
        Properties database = new Properties();
        database.putAll(DATABASE);
        Properties tree = new Properties();
        tree.putAll(TREE);
        tree.put("block_based_table_factory", table());
        return new Options(
                DBOptions.getDBOptionsFromProps(database),
                ColumnFamilyOptions.getColumnFamilyOptionsFromProps(tree));
    }

    private static final class Puts implements Writer {

        private final RocksDB db;
        private final boolean direct;
        private final WriteOptions options = new WriteOptions().setDisableWAL(true);

        Puts(RocksDB db, boolean direct) {
            this.db = db;
            this.direct = direct;
        }

        @Override
        public void put(Entry entry) throws RocksDBException {
            if (direct) {
                db.put(options, entry.keyBuffer(), entry.valueBuffer());
            } else {
                db.put(options, entry.key(), entry.value());
            }
        }

        @Override
        public void delete(Entry entry) throws RocksDBException {
            if (direct) {
                db.delete(options, entry.keyBuffer());
            } else {
                db.delete(options, entry.key());
            }
        }

        @Override
        public void close() {
            options.close();
        }
    }

    /** As in 2014: each get returns a new array; four native calls for an entry of a scan. */
    private static class Classic implements Reader {

        final RocksDB db;
        final ReadOptions options = new ReadOptions();

        Classic(RocksDB db) {
            this.db = db;
        }

        @Override
        public void get(Entry entry, Sink sink) throws RocksDBException {
            byte[] key = entry.key();
            byte[] value = db.get(options, key);
            if (value != null) {
                sink.accept(key, value);
            }
        }

        @Override
        public final void scan(Entry from, int limit, Direction direction, Sink sink)
                throws RocksDBException {
            try (RocksIterator iterator = db.newIterator(options)) {
                if (direction == Direction.FORWARDS) {
                    if (from == null) {
                        iterator.seekToFirst();
                    } else {
                        iterator.seek(from.key());
                    }
                    for (int left = limit; left > 0 && iterator.isValid(); left--) {
                        emit(iterator, sink);
                        iterator.next();
                    }
                } else {
                    if (from == null) {
                        iterator.seekToLast();
                    } else {
                        iterator.seekForPrev(from.key());
                    }
                    for (int left = limit; left > 0 && iterator.isValid(); left--) {
                        emit(iterator, sink);
                        iterator.prev();
                    }
                }
                iterator.status();
            }
        }

        @Override
        public final void multiGet(Entries wanted, Sink sink) throws RocksDBException {
            List<byte[]> sought = new ArrayList<>(wanted.count());
            for (int place = 0; place < wanted.count(); place++) {
                sought.add(wanted.at(place).newKey());
            }
            emit(sought, sink);
        }

        final void emit(List<byte[]> sought, Sink sink) throws RocksDBException {
            List<byte[]> values = db.multiGetAsList(options, sought);
            for (int i = 0; i < sought.size(); i++) {
                if (values.get(i) != null) {
                    sink.accept(sought.get(i), values.get(i));
                }
            }
        }

        void emit(RocksIterator iterator, Sink sink) {
            sink.accept(iterator.key(), iterator.value());
        }

        @Override
        public void close() {
            options.close();
        }
    }

    /** Arrays that are used again. */
    private static final class Arrays extends Classic {

        private final byte[] key;
        private final byte[] value;

        Arrays(RocksDB db, CaseSpec spec) {
            super(db);
            key = new byte[spec.keys().bytes];
            value = new byte[spec.valueBytes()];
        }

        @Override
        public void get(Entry entry, Sink sink) throws RocksDBException {
            byte[] sought = entry.key();
            if (db.get(options, sought, value) == value.length) {
                sink.accept(sought, value);
            }
        }

        @Override
        void emit(RocksIterator iterator, Sink sink) {
            iterator.key(key);
            iterator.value(value);
            sink.accept(key, value);
        }
    }

    /** Direct buffers, which native code fills without asking Java for an array. */
    private static final class Direct extends Classic {

        private final ByteBuffer key;
        private final ByteBuffer value;

        Direct(RocksDB db, CaseSpec spec) {
            super(db);
            key = ByteBuffer.allocateDirect(spec.keys().bytes);
            value = ByteBuffer.allocateDirect(spec.valueBytes());
        }

        @Override
        public void get(Entry entry, Sink sink) throws RocksDBException {
            if (db.get(options, entry.keyBuffer(), value.clear()) == value.capacity()) {
                sink.accept(entry.keyBuffer(), value);
            }
        }

        @Override
        void emit(RocksIterator iterator, Sink sink) {
            iterator.key(key.clear());
            iterator.value(value.clear());
            sink.accept(key, value);
        }
    }

    /** Many keys a call, as arrays. */
    private static final class Multi extends Classic {

        private final List<byte[]> keys = new ArrayList<>(KEYS_PER_CALL);

        Multi(RocksDB db) {
            super(db);
        }

        @Override
        public void get(Entry entry, Sink sink) throws RocksDBException {
            keys.add(entry.newKey());
            if (keys.size() == KEYS_PER_CALL) {
                flush(sink);
            }
        }

        @Override
        public void flush(Sink sink) throws RocksDBException {
            if (!keys.isEmpty()) {
                emit(keys, sink);
                keys.clear();
            }
        }
    }

    /** Many keys a call, as direct buffers. */
    private static final class MultiDirect extends Classic {

        private final List<ByteBuffer> keys;
        private final List<ByteBuffer> values;
        private int count;

        MultiDirect(RocksDB db, CaseSpec spec) {
            super(db);
            keys = Stream.generate(() -> ByteBuffer.allocateDirect(spec.keys().bytes))
                    .limit(KEYS_PER_CALL)
                    .toList();
            values = Stream.generate(() -> ByteBuffer.allocateDirect(spec.valueBytes()))
                    .limit(KEYS_PER_CALL)
                    .toList();
        }

        @Override
        public void get(Entry entry, Sink sink) throws RocksDBException {
            keys.get(count++).clear().put(entry.keyBuffer()).flip();
            if (count == KEYS_PER_CALL) {
                flush(sink);
            }
        }

        @Override
        public void flush(Sink sink) throws RocksDBException {
            if (count == 0) {
                return;
            }
            values.subList(0, count).forEach(ByteBuffer::clear);
            List<ByteBufferGetStatus> found = db.multiGetByteBuffers(
                    options, keys.subList(0, count), values.subList(0, count));
            for (int i = 0; i < count; i++) {
                if (found.get(i).value != null) {
                    sink.accept(keys.get(i).rewind(), found.get(i).value);
                }
            }
            count = 0;
        }
    }
}
