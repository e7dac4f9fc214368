package families;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import kv.store.Budget;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Unavailable;
import kv.store.Value;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;

/** LevelDB through the API that its native binding and its port to Java have in common. */
public abstract class LevelDb implements Store {

    private static final int WRITE_BUFFER_BYTES = 64 << 20;
    private static final int BATCH_ENTRIES = 1_000;
    private static final int TABLE_BYTES = 2 << 20; // of a table file, which no option changes
    private static final int LEAST_OPEN_FILES = 1_000; // the default
    // Overwritten data have their tables beside those that replace them
    private static final int TIMES_TABLES = 2;

    /** What both have in common; the subclass names itself. */
    protected static StoreDescriptor describe(
            Class<? extends Store> script,
            String name,
            String colour,
            String library,
            String summary) {
        String options = "https://github.com/google/leveldb/blob/main/include/leveldb/options.h";
        String guide = "https://github.com/google/leveldb/blob/main/doc/index.md";
        return StoreDescriptor.of(script, name, StoreDescriptor.LSM_TREE, colour, library, summary)
                .usage(
                        "WriteBatch",
                        BATCH_ENTRIES + " entries",
                        "loads in batches",
                        guide + "#atomic-updates")
                .option(Option.of(
                                "write_buffer_size",
                                Value.in("64 MiB", LevelDb::writeBufferBytes),
                                "larger values speed up bulk loads; the default is 4 MB",
                                options)
                        .sets(Options.class, Options::writeBufferSize)
                        .reads(Options.class, Options::writeBufferSize)
                        .shipped(4 << 20))
                .option(Option.of(
                                "compression",
                                Value.in(
                                        "none",
                                        spec -> spec.compressed(true)
                                                ? null
                                                : CompressionType.NONE),
                                "as for every store in this test",
                                guide + "#compression")
                        .sets(Options.class, Options::compressionType)
                        .reads(Options.class, Options::compressionType)
                        .shipped(CompressionType.SNAPPY)
                        .term())
                .option(Option.of(
                                "sync",
                                Value.in("false (default)", spec -> spec.sync() == Sync.ON),
                                "durability is off in this test; the log is written all the same",
                                guide + "#synchronous-writes")
                        .sets(WriteOptions.class, WriteOptions::sync)
                        .reads(WriteOptions.class, WriteOptions::sync)
                        .term())
                .option(Option.of(
                                "max_open_files",
                                Value.in(
                                        "%d for each %d MiB of data, at least %,d (default)"
                                                .formatted(
                                                        TIMES_TABLES,
                                                        TABLE_BYTES >> 20,
                                                        LEAST_OPEN_FILES),
                                        LevelDb::openFiles),
                                "tables have 2 MiB: all stay open; one that is not is opened, and"
                                        + " its index read, for a get",
                                options)
                        .sets(Options.class, Options::maxOpenFiles)
                        .reads(Options.class, Options::maxOpenFiles)
                        .shipped(LEAST_OPEN_FILES))
                .option(Option.of(
                                "verify_checksums",
                                Value.of("false", false),
                                "the default in C++, but not in Java",
                                guide + "#checksums")
                        .sets(Options.class, Options::verifyChecksums)
                        .reads(Options.class, Options::verifyChecksums)
                        .shipped(true))
                .setting(Setting.BATCH, "entries in a WriteBatch")
                .setting(
                        Setting.SYNC,
                        "on: WriteOptions.sync; os: as off, since each write goes to the log")
                .setting(Setting.MEMORY, "write_buffer_size, block_cache")
                .setting(Setting.COMPRESSION, "on by default: Snappy")
                .setting(
                        Setting.THREADS,
                        "one database, a WriteBatch for each thread; the database queues them")
                .setting(
                        Setting.DEFAULTS,
                        "write_buffer_size 4 MiB, max_open_files 1,000, checksums verified");
    }

    protected abstract DBFactory factory();

    /** Adds the entry to the batch, in arrays of its own where the batch keeps them. */
    protected abstract void add(WriteBatch batch, Entry entry);

    @Override
    public final String engine() {
        return factory().toString();
    }

    @Override
    public final Db open(Path directory, CaseSpec spec) throws IOException {
        StoreDescriptor described = describe();
        Options options = described.set(new Options(), spec);
        WriteOptions writing = described.set(new WriteOptions(), spec);
        DB db = factory().open(directory.toFile(), options);
        String forwardOnly = described.unsupportedReason(Capability.SCAN_BACKWARDS);
        return new Db() {
            @Override
            public Writer writer() {
                return new Load(db, spec.count(Setting.BATCH, BATCH_ENTRIES), writing);
            }

            @Override
            public Reader reader() {
                return new Reads(db, forwardOnly);
            }

            @Override
            public void compact() {
                try {
                    db.compactRange(null, null);
                } catch (UnsupportedOperationException notThere) {
                    throw new Unavailable("has no compactRange");
                }
            }

            @Override
            public List<Object> configured() {
                return List.of(options, writing);
            }

            @Override
            public void close() throws IOException {
                db.close();
            }
        };
    }

    private static int writeBufferBytes(CaseSpec spec) {
        Budget memory = spec.memory();
        return memory == null ? WRITE_BUFFER_BYTES : Math.toIntExact(memory.writeBufferBytes());
    }

    /** As many as hold all data, so that no get has to open one. */
    private static int openFiles(CaseSpec spec) {
        long tables = TIMES_TABLES * spec.flatBytes() / TABLE_BYTES;
        return Math.toIntExact(Math.max(LEAST_OPEN_FILES, tables));
    }

    private final class Load implements Writer {

        private final DB db;
        private final int batchEntries;
        private final WriteOptions options;
        private WriteBatch batch;
        private int entries;

        Load(DB db, int batchEntries, WriteOptions options) {
            this.db = db;
            this.batchEntries = batchEntries;
            this.options = options;
            this.batch = db.createWriteBatch();
        }

        @Override
        public void put(Entry entry) throws IOException {
            add(batch, entry);
            if (++entries == batchEntries) {
                close();
                batch = db.createWriteBatch();
                entries = 0;
            }
        }

        @Override
        public void delete(Entry entry) throws IOException {
            batch.delete(entry.newKey()); // the one in Java keeps it
            if (++entries == batchEntries) {
                commit();
            }
        }

        @Override
        public void commit() throws IOException {
            close();
            batch = db.createWriteBatch();
            entries = 0;
        }

        @Override
        public void close() throws IOException {
            db.write(batch, options);
            batch.close();
        }
    }

    /** @param forwardOnly why it does not descend, or null */
    private record Reads(DB db, String forwardOnly) implements Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] key = entry.key();
            byte[] value = db.get(key);
            if (value != null) {
                sink.accept(key, value);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) throws IOException {
            if (direction == Direction.BACKWARDS && forwardOnly != null) {
                throw new Unavailable(forwardOnly);
            }
            try (DBIterator iterator = db.iterator()) {
                if (direction == Direction.FORWARDS) {
                    ascend(iterator, from, limit, sink);
                } else {
                    descend(iterator, from, limit, sink);
                }
            }
        }

        private static void ascend(DBIterator iterator, Entry from, int limit, Sink sink) {
            if (from == null) {
                iterator.seekToFirst();
            } else {
                iterator.seek(from.key());
            }
            for (int left = limit; left > 0 && iterator.hasNext(); left--) {
                emit(iterator.next(), sink);
            }
        }

        private static void descend(DBIterator iterator, Entry from, int limit, Sink sink) {
            boolean giveThis = true; // the entry that it stands on
            if (from != null) {
                byte[] key = from.key();
                iterator.seek(key);
                giveThis =
                        !iterator.hasNext() || Arrays.equals(iterator.peekNext().getKey(), key);
            }
            if (from == null || !iterator.hasNext()) { // all keys are smaller
                iterator.seekToLast();
            }
            int left = limit;
            if (giveThis && left > 0 && iterator.hasNext()) {
                emit(iterator.peekNext(), sink);
                left--;
            }
            try {
                for (; left > 0; left--) { // hasPrev() would go back and forth once more for each
                    emit(iterator.prev(), sink);
                }
            } catch (NoSuchElementException beforeFirst) {
                // There are no more.
            }
        }

        private static void emit(Map.Entry<byte[], byte[]> entry, Sink sink) {
            sink.accept(entry.getKey(), entry.getValue());
        }

        @Override
        public void close() {
            // Holds nothing: a get copies, and a scan closes its iterator.
        }
    }
}
