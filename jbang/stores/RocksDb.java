///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/CacheSize.java ../families/RocksBackup.java
//SOURCES ../families/RocksOptions.java
//DEPS org.rocksdb:rocksdbjni:11.8.1

package stores;

import families.CacheSize;
import families.RocksBackup;
import families.RocksOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kv.cli.Cli;
import kv.store.Budget;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entries;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Value;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.EnvOptions;
import org.rocksdb.HyperClockCache;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB as its wiki advises: sorted entries are written straight to a table file that the
 * database then adopts, others go through batches; a block cache that holds the data serves the
 * reads.
 */
public class RocksDb implements Store {

    private static final int BATCH_ENTRIES = 1_000;
    private static final long WRITE_BUFFER_BYTES = 256L << 20;
    private static final int RESTART_INTERVAL = 4;

    public static void main(String... arguments) {
        Cli.run(new RocksDb(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String wiki = "https://github.com/facebook/rocksdb/wiki/";
        return StoreDescriptor.of(
                        RocksDb.class,
                        "RocksDB",
                        StoreDescriptor.LSM_TREE,
                        "#d95f02",
                        "org.rocksdb:rocksdbjni",
                        "a bulk load becomes a table file that it ingests, puts go in by"
                                + " batches; keys and values are copied out")
                .usage(
                        "SstFileWriter, ingestExternalFile",
                        "for the bulk load",
                        "its bulk load of sorted data",
                        wiki + "Creating-and-Ingesting-SST-files")
                .usage(
                        "WriteBatch",
                        BATCH_ENTRIES + " entries",
                        "fewer, larger writes",
                        wiki + "RocksDB-FAQ")
                .option(Option.of(
                                "disableWAL",
                                Value.in("true", spec -> spec.sync() == Sync.OFF),
                                "durability is off in this test",
                                wiki + "Write-Ahead-Log-(WAL)")
                        .sets(WriteOptions.class, WriteOptions::setDisableWAL)
                        .reads(WriteOptions.class, WriteOptions::disableWAL)
                        .term())
                .option(Option.of(
                                "write_buffer_size",
                                Value.in(
                                        (WRITE_BUFFER_BYTES >> 20) + " MiB, or half of block_cache",
                                        RocksDb::writeBufferBytes),
                                "fewer sorted runs; the default is 64 MiB",
                                wiki + "MemTable")
                        .sets(Options.class, Options::setWriteBufferSize)
                        .reads(RocksOptions.class, told -> told.number("write_buffer_size"))
                        .shipped(64L << 20))
                .option(Option.of(
                                "compression",
                                Value.in(
                                        "none",
                                        spec -> spec.compressed(true)
                                                ? null
                                                : CompressionType.NO_COMPRESSION),
                                "as for every store in this test",
                                wiki + "Compression")
                        .sets(Options.class, Options::setCompressionType)
                        .reads(RocksOptions.class, RocksOptions::compression)
                        .shipped(CompressionType.LZ4_COMPRESSION)
                        .term())
                .option(Option.of(
                                "block_cache",
                                Value.in(
                                        "HyperClockCache, " + CacheSize.OUTSIDE_HEAP,
                                        RocksDb::cacheBytes),
                                "holds all data, as memory maps do for others; the default is 32"
                                        + " MiB",
                                wiki + "Block-Cache")
                        .sets(Tables.class, Tables::cache))
                .option(Option.of(
                                "data_block_index_type",
                                Value.of(
                                        "BinaryAndHash",
                                        DataBlockIndexType.kDataBlockBinaryAndHash),
                                "for point reads from cached blocks",
                                wiki + "Data-Block-Hash-Index")
                        .sets(
                                Tables.class,
                                (tables, type) -> tables.config.setDataBlockIndexType(type))
                        .reads(
                                RocksOptions.class,
                                told -> DataBlockIndexType.valueOf(
                                        told.text("data_block_index_type")))
                        .shipped(DataBlockIndexType.kDataBlockBinarySearch))
                .option(Option.of(
                                "block_restart_interval",
                                Value.of(RESTART_INTERVAL),
                                "for data that fits memory; the default is 16",
                                wiki + "RocksDB-Tuning-Guide")
                        .sets(
                                Tables.class,
                                (tables, entries) -> tables.config.setBlockRestartInterval(entries))
                        .reads(RocksOptions.class, told ->
                                (int) told.number("block_restart_interval"))
                        .shipped(16))
                .option(Option.of(
                                "verify_checksums",
                                Value.of("true (default)", true),
                                "checked when a block enters the cache",
                                wiki + "Basic-Operations")
                        .reads(ReadOptions.class, ReadOptions::verifyChecksums))
                .option(Option.of(
                                "readahead_size",
                                Value.of("0 (default)", 0L),
                                "iterators read ahead by themselves",
                                wiki + "Iterator")
                        .reads(ReadOptions.class, ReadOptions::readaheadSize))
                .option(Option.of(
                                "filter_policy",
                                Value.of("none (default)", "nullptr"),
                                "every key that is looked up exists",
                                wiki + "RocksDB-Bloom-Filter")
                        .reads(RocksOptions.class, told -> told.text("filter_policy")))
                .setting(Setting.BATCH, "entries in a WriteBatch")
                .setting(Setting.SYNC, "os: with the write-ahead log; on: WriteOptions.sync too")
                .setting(Setting.MEMORY, "write_buffer_size and block_cache")
                .setting(Setting.COMPRESSION, "on by default: LZ4, since 11.8 (Snappy before)")
                .setting(
                        Setting.THREADS,
                        "one database, a WriteBatch for each thread; they enter the write buffer"
                                + " side by side")
                .setting(
                        Setting.DEFAULTS,
                        "write_buffer_size 64 MiB, block_cache 32 MiB, no hash index, restart"
                                + " interval 16");
    }

    @Override
    public String engine() {
        RocksDB.loadLibrary(); // which knows its version then
        return "RocksDB " + RocksDB.rocksdbVersion();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws RocksDBException {
        RocksDB.loadLibrary();
        StoreDescriptor described = describe();
        Options options = described.set(new Options().setCreateIfMissing(true), spec);
        Tables tables = described.set(new Tables(), spec);
        if (!spec.vendorDefaults()) {
            options.setTableFormatConfig(tables.config);
        }
        WriteOptions writing =
                described.set(new WriteOptions().setSync(spec.sync() == Sync.ON), spec);
        RocksDB db = RocksDB.open(options, directory.toString());
        return new Db() {
            @Override
            public Writer writer() {
                return new Load(db, spec.count(Setting.BATCH, BATCH_ENTRIES), writing);
            }

            @Override
            public Writer loader() throws RocksDBException {
                return new SortedLoad(db, options, directory.resolve("load.sst"));
            }

            @Override
            public Reader reader() {
                return new Reads(db, spec);
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
                return List.of(new RocksOptions(directory), writing, new ReadOptions());
            }

            @Override
            public void close() {
                db.close();
                writing.close();
                options.close();
                tables.close();
            }
        };
    }

    private static long cacheBytes(CaseSpec spec) {
        Budget memory = spec.memory();
        return memory == null ? CacheSize.outsideHeap(spec) : memory.cacheBytes();
    }

    private static long writeBufferBytes(CaseSpec spec) {
        Budget memory = spec.memory();
        return memory == null
                ? Math.min(WRITE_BUFFER_BYTES, cacheBytes(spec) / 2)
                : memory.writeBufferBytes();
    }

    /** How table files are laid out and cached. */
    private static final class Tables {

        final BlockBasedTableConfig config = new BlockBasedTableConfig();
        private HyperClockCache cache; // null for RocksDB's own

        void cache(long bytes) {
            // 0, -1: estimates entry size and shards itself
            cache = new HyperClockCache(bytes, 0, -1, false);
            config.setBlockCache(cache);
        }

        void close() {
            if (cache != null) {
                cache.close();
            }
        }
    }

    /**
     * Entries in the order of their keys: builds a table file, which the database moves to its
     * lowest level.
     */
    private static final class SortedLoad implements Writer {

        private final RocksDB db;
        private final EnvOptions environment = new EnvOptions();
        private final SstFileWriter table;
        private final String file;

        SortedLoad(RocksDB db, Options options, Path file) throws RocksDBException {
            this.db = db;
            this.table = new SstFileWriter(environment, options);
            this.file = file.toString();
            table.open(this.file);
        }

        @Override
        public void put(Entry entry) throws RocksDBException {
            table.put(entry.keyBuffer(), entry.valueBuffer());
        }

        @Override
        public void close() throws RocksDBException {
            table.finish();
            try (IngestExternalFileOptions moving =
                    new IngestExternalFileOptions().setMoveFiles(true)) {
                db.ingestExternalFile(List.of(file), moving);
            }
            table.close();
            environment.close();
        }
    }

    /** Puts: batches into the write buffer, which is sorted in memory. */
    private static final class Load implements Writer {

        private final RocksDB db;
        private final int batchEntries;
        private final WriteOptions options;
        private final WriteBatch batch = new WriteBatch();

        Load(RocksDB db, int batchEntries, WriteOptions options) {
            this.db = db;
            this.batchEntries = batchEntries;
            this.options = options;
        }

        @Override
        public void put(Entry entry) throws RocksDBException {
            batch.put(entry.keyBuffer(), entry.valueBuffer());
            if (batch.count() == batchEntries) {
                db.write(options, batch);
                batch.clear();
            }
        }

        @Override
        public void delete(Entry entry) throws RocksDBException {
            batch.delete(entry.keyBuffer());
            if (batch.count() == batchEntries) {
                commit();
            }
        }

        @Override
        public void commit() throws RocksDBException {
            db.write(options, batch);
            batch.clear();
        }

        @Override
        public void close() throws RocksDBException {
            db.write(options, batch);
            batch.close();
        }
    }

    private static final class Reads implements Reader {

        private final RocksDB db;
        private final ReadOptions options = new ReadOptions();
        private final byte[] key;
        private final byte[] value;

        Reads(RocksDB db, CaseSpec spec) {
            this.db = db;
            this.key = new byte[spec.keys().bytes];
            this.value = new byte[spec.valueBytes()];
        }

        @Override
        public void get(Entry entry, Sink sink) throws RocksDBException {
            byte[] sought = entry.key();
            int bytes = db.get(options, sought, value);
            if (bytes != RocksDB.NOT_FOUND) {
                expect(value.length, bytes);
                sink.accept(sought, value);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink)
                throws RocksDBException {
            boolean keys = sink.wantsKeys();
            try (RocksIterator iterator = db.newIterator(options)) {
                if (direction == Direction.FORWARDS) {
                    if (from == null) {
                        iterator.seekToFirst();
                    } else {
                        iterator.seek(from.key());
                    }
                    for (int left = limit; left > 0 && iterator.isValid(); left--) {
                        emit(iterator, keys, sink);
                        iterator.next();
                    }
                } else {
                    if (from == null) {
                        iterator.seekToLast();
                    } else {
                        iterator.seekForPrev(from.key());
                    }
                    for (int left = limit; left > 0 && iterator.isValid(); left--) {
                        emit(iterator, keys, sink);
                        iterator.prev();
                    }
                }
                iterator.status();
            }
        }

        @Override
        public void multiGet(Entries wanted, Sink sink) throws RocksDBException {
            List<byte[]> keys = new ArrayList<>(wanted.count());
            for (int place = 0; place < wanted.count(); place++) {
                keys.add(wanted.at(place).newKey());
            }
            List<byte[]> values = db.multiGetAsList(options, keys);
            for (int place = 0; place < keys.size(); place++) {
                if (values.get(place) != null) {
                    sink.accept(keys.get(place), values.get(place));
                }
            }
        }

        /** Key and value are a native call each, so a key that does not matter is not asked for. */
        private void emit(RocksIterator iterator, boolean withKey, Sink sink) {
            expect(value.length, iterator.value(value));
            if (withKey) {
                expect(key.length, iterator.key(key));
                sink.accept(key, value);
            } else {
                sink.accept(value);
            }
        }

        /** RocksDB says how long what it found is, whether or not that fitted the array. */
        private static void expect(int bytes, int found) {
            if (found != bytes) {
                throw new IllegalStateException(
                        "an entry has " + found + " bytes where " + bytes + " were written");
            }
        }

        @Override
        public void close() {
            options.close();
        }
    }
}
