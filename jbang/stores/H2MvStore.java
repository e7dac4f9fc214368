///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java
//DEPS com.h2database:h2:2.5.252

package stores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import kv.cli.Cli;
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
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreTool;
import org.h2.mvstore.tx.Transaction;
import org.h2.mvstore.tx.TransactionMap;
import org.h2.mvstore.tx.TransactionMap.TMIterator;
import org.h2.mvstore.tx.TransactionStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.MetaType;

/**
 * MVStore as the database H2 runs it: through its transactions, which keep an undo log, with H2's
 * settings and the thread that saves in the background. SQL is left out.
 */
public final class H2MvStore implements Store {

    // H2's defaults, which differ from MVStore's but for the page and the fill rate
    private static final int PAGE_BYTES = 16 << 10;
    private static final int COMPRESSED_PAGE_BYTES = 64 << 10;
    private static final int FILL_RATE = 90;
    private static final int LOCK_TIMEOUT_MILLIS = 2000;
    private static final int WRITE_DELAY_MILLIS = 500;
    private static final int COMPACT_MILLIS_AT_CLOSE = 200;

    public static void main(String... arguments) {
        Cli.run(new H2MvStore(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String javadoc = "https://javadoc.io/static/com.h2database/h2/2.5.252/org/h2/mvstore/";
        String source = "https://github.com/h2database/h2database/blob/version-2.5.252/h2/src/main/"
                + "org/h2/";
        String commands = "https://h2database.com/html/commands.html#";
        String settings = "https://h2database.com/javadoc/org/h2/engine/DbSettings.html#";
        return StoreDescriptor.of(
                        H2MvStore.class,
                        "H2 MVStore",
                        StoreDescriptor.B_PLUS_TREE,
                        "#e83e8c",
                        "com.h2database:h2",
                        "MVStore as H2 opens it and commits with it, without SQL: a map of byte"
                                + " arrays in a transaction")
                .usage(
                        "Transaction.commit",
                        "once, after all entries",
                        "what COMMIT does: each entry is touched again, to be marked as committed",
                        source + "engine/SessionLocal.java")
                .usage(
                        "isolation level",
                        "READ_COMMITTED (default)",
                        "H2's own; reads take what is committed when they begin",
                        "https://h2database.com/html/advanced.html#transaction_isolation")
                .option(Option.of(
                                "CACHE_SIZE",
                                Value.in(
                                        "16 MiB (default)",
                                        spec -> spec.memory() == null
                                                ? null
                                                : Math.toIntExact(
                                                        spec.memory().cacheBytes() >> 20)),
                                "what H2 runs with unless it is set, though its manual says 64 MiB"
                                        + " for each GiB",
                                commands + "set_cache_size")
                        .sets(MVStore.class, (store, mib) -> store.setCacheSize(mib << 10))
                        .reads(MVStore.class, MVStore::getCacheSize)
                        .shipped(16)
                        .term())
                .option(Option.of(
                                "WRITE_DELAY",
                                Value.in(
                                        WRITE_DELAY_MILLIS + " ms (default)",
                                        spec -> spec.sync() == Sync.OFF ? WRITE_DELAY_MILLIS : 0),
                                "a thread saves what is committed; 0 where sync is on or os: each"
                                        + " commit saves",
                                commands + "set_write_delay")
                        .sets(MVStore.class, MVStore::setAutoCommitDelay)
                        .reads(MVStore.class, MVStore::getAutoCommitDelay)
                        .term())
                .option(Option.of(
                                "RETENTION_TIME",
                                Value.of("45 s (default)", 45_000),
                                "chunks that are no longer used stay so long",
                                commands + "set_retention_time")
                        .reads(MVStore.class, MVStore::getRetentionTime))
                .option(Option.of(
                                "PAGE_SIZE",
                                Value.in(
                                        (PAGE_BYTES >> 10) + " KiB (default)",
                                        spec -> spec.compressed(false)
                                                ? COMPRESSED_PAGE_BYTES
                                                : PAGE_BYTES),
                                "pageSplitSize; 64 KiB where it compresses, as H2 has it then",
                                source + "mvstore/db/Store.java")
                        .sets(MVStore.Builder.class, MVStore.Builder::pageSplitSize)
                        .term())
                .option(Option.of(
                                "AUTO_COMPACT_FILL_RATE",
                                Value.of(FILL_RATE + " (default)", FILL_RATE),
                                "below it the thread rewrites chunks",
                                settings + "autoCompactFillRate")
                        .sets(MVStore.Builder.class, MVStore.Builder::autoCompactFillRate)
                        .term())
                .usage(
                        "MAX_COMPACT_TIME",
                        COMPACT_MILLIS_AT_CLOSE + " ms (default)",
                        "how long it compacts when it is closed",
                        settings + "maxCompactTime")
                .option(Option.of(
                                "versionsToKeep",
                                Value.of(0),
                                "H2 needs no older versions: it has the undo log",
                                source + "mvstore/db/Store.java")
                        .sets(MVStore.class, MVStore::setVersionsToKeep)
                        .reads(MVStore.class, MVStore::getVersionsToKeep)
                        .term())
                .option(Option.of(
                                "COMPRESS",
                                Value.in(
                                        "false (default)",
                                        spec -> spec.compressed(false) ? true : null),
                                "as for every store in this test",
                                settings + "compressData")
                        .sets(MVStore.Builder.class, (builder, on) -> builder.compress())
                        .term())
                .usage(
                        "keyType, valueType",
                        "ByteArrayDataType",
                        "unsigned order; H2 has its own types for rows",
                        javadoc + "type/ByteArrayDataType.html")
                .setting(Setting.BATCH, "entries between two commits")
                .setting(
                        Setting.SYNC,
                        "on: WRITE_DELAY 0 and CHECKPOINT SYNC after each commit; os: WRITE_DELAY"
                                + " 0")
                .setting(Setting.MEMORY, "CACHE_SIZE; what waits to be written it sizes itself")
                .setting(Setting.COMPRESSION, "off by default; on: COMPRESS (LZF)")
                .setting(Setting.THREADS, "a transaction for each thread")
                .setting(Setting.DEFAULTS, "as in every case");
    }

    @Override
    public String engine() {
        return "MVStore " + MVStore.class.getPackage().getImplementationVersion();
    }

    /** As the constructor of H2's org.h2.mvstore.db.Store does it, and Database after that. */
    @Override
    public Db open(Path directory, CaseSpec spec) {
        String file = file(directory).toString();
        MVStoreTool.compactCleanUp(file);
        StoreDescriptor described = describe();
        MVStore.Builder builder = described.set(new MVStore.Builder().fileName(file), spec);
        MVStore store = described.set(builder.autoCommitDisabled().open(), spec);
        var transactions = new TransactionStore(
                store, new MetaType<>(null, null), ByteArrayDataType.INSTANCE, LOCK_TIMEOUT_MILLIS);
        transactions.init();
        transactions.endLeftoverTransactions();
        return new Transactions(store, transactions, spec);
    }

    private static Path file(Path directory) {
        return directory.resolve("h2.mv.db");
    }

    private record Transactions(MVStore store, TransactionStore transactions, CaseSpec spec)
            implements Db {

        @Override
        public Writer writer() {
            return new Puts(this);
        }

        @Override
        public Reader reader() {
            Transaction transaction = transactions.begin();
            return new Reads(transaction, entries(transaction));
        }

        private static TransactionMap<byte[], byte[]> entries(Transaction transaction) {
            return transaction.openMap(
                    "entries", ByteArrayDataType.INSTANCE, ByteArrayDataType.INSTANCE);
        }

        @Override
        public void compact() {
            store.compactFile(Integer.MAX_VALUE);
        }

        /** What BACKUP TO does, and takes the file out of its archive. */
        @Override
        public void backup(Path directory) throws IOException {
            store.commit();
            Path archive = directory.resolve("backup.zip");
            try (var zip = new ZipOutputStream(Files.newOutputStream(archive))) {
                store.getFileStore().backup(zip);
            }
            try (var zip = new ZipInputStream(Files.newInputStream(archive))) {
                zip.getNextEntry();
                Files.copy(zip, file(directory));
            }
            Files.delete(archive);
        }

        @Override
        public List<Object> configured() {
            return List.of(store);
        }

        @Override
        public void close() {
            transactions.close();
            store.close(COMPACT_MILLIS_AT_CLOSE);
        }
    }

    private static final class Puts implements Writer {

        private final Transactions to;
        private final boolean sync;
        private final int batch;
        private Transaction transaction;
        private TransactionMap<byte[], byte[]> entries;
        private int left;

        Puts(Transactions to) {
            this.to = to;
            this.sync = to.spec.sync() == Sync.ON;
            this.batch = to.spec.count(Setting.BATCH, to.spec.entries());
            begin();
        }

        private void begin() {
            transaction = to.transactions.begin();
            entries = Transactions.entries(transaction);
            left = batch;
        }

        @Override
        public void put(Entry entry) {
            entries.put(entry.newKey(), entry.newValue());
            if (--left == 0) {
                commit();
            }
        }

        @Override
        public void delete(Entry entry) {
            entries.remove(entry.newKey());
        }

        @Override
        public void commit() {
            close();
            begin();
        }

        @Override
        public void close() {
            transaction.commit();
            if (sync) {
                to.store.commit();
                to.store.sync();
            }
        }
    }

    private record Reads(Transaction transaction, TransactionMap<byte[], byte[]> entries)
            implements Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] key = entry.key();
            byte[] value = entries.getFromSnapshot(key);
            if (value != null) {
                sink.accept(key, value);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            TMIterator<byte[], byte[], Map.Entry<byte[], byte[]>> found = entries.entryIterator(
                    from == null ? null : from.newKey(), null, direction == Direction.BACKWARDS);
            for (int left = limit; left > 0 && found.hasNext(); left--) {
                Map.Entry<byte[], byte[]> entry = found.next();
                sink.accept(entry.getKey(), entry.getValue());
            }
        }

        @Override
        public void close() {
            transaction.commit();
        }
    }
}
