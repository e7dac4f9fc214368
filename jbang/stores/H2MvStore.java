///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java
//DEPS com.h2database:h2-mvstore:2.4.240

package stores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import kv.cli.Cli;
import kv.store.Budget;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
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
        String javadoc =
                "https://javadoc.io/static/com.h2database/h2-mvstore/2.4.240/org/h2/mvstore/";
        String source = "https://github.com/h2database/h2database/blob/version-2.4.240/h2/src/main/"
                + "org/h2/";
        String commands = "https://h2database.com/html/commands.html#";
        String settings = "https://h2database.com/javadoc/org/h2/engine/DbSettings.html#";
        return StoreDescriptor.of(
                        H2MvStore.class,
                        "H2 MVStore",
                        StoreDescriptor.B_PLUS_TREE,
                        "#e83e8c",
                        "com.h2database:h2-mvstore",
                        "MVStore as H2 opens it and commits with it, without SQL: a map of byte"
                                + " arrays in a transaction")
                .option(
                        "Transaction.commit",
                        "once, after all entries",
                        "what COMMIT does: each entry is touched again, to be marked as committed",
                        source + "engine/SessionLocal.java")
                .option(
                        "isolation level",
                        "READ_COMMITTED (default)",
                        "H2's own; reads take what is committed when they begin",
                        "https://h2database.com/html/advanced.html#transaction_isolation")
                .option(
                        "CACHE_SIZE",
                        "16 MiB (default)",
                        "what H2 runs with unless it is set, though its manual says 64 MiB for each"
                                + " GiB",
                        commands + "set_cache_size")
                .option(
                        "WRITE_DELAY",
                        WRITE_DELAY_MILLIS + " ms (default)",
                        "a thread saves what is committed; 0 where sync is on or os: each commit"
                                + " saves",
                        commands + "set_write_delay")
                .option(
                        "RETENTION_TIME",
                        "45 s (default)",
                        "chunks that are no longer used stay so long",
                        commands + "set_retention_time")
                .option(
                        "PAGE_SIZE",
                        (PAGE_BYTES >> 10) + " KiB (default)",
                        "pageSplitSize; 64 KiB where it compresses, as H2 has it then",
                        source + "mvstore/db/Store.java")
                .option(
                        "AUTO_COMPACT_FILL_RATE",
                        FILL_RATE + " (default)",
                        "below it the thread rewrites chunks",
                        settings + "autoCompactFillRate")
                .option(
                        "MAX_COMPACT_TIME",
                        COMPACT_MILLIS_AT_CLOSE + " ms (default)",
                        "how long it compacts when it is closed",
                        settings + "maxCompactTime")
                .option(
                        "versionsToKeep",
                        0,
                        "H2 needs no older versions: it has the undo log",
                        source + "mvstore/db/Store.java")
                .option(
                        "COMPRESS",
                        "false (default)",
                        "as for every store in this test",
                        settings + "compressData")
                .option(
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
        MVStore.Builder builder = new MVStore.Builder()
                .fileName(file)
                .pageSplitSize(PAGE_BYTES)
                .autoCompactFillRate(FILL_RATE);
        if (spec.compressed(false)) {
            builder.compress().pageSplitSize(COMPRESSED_PAGE_BYTES);
        }
        MVStore store = builder.autoCommitDisabled().open();
        store.setVersionsToKeep(0);
        var transactions = new TransactionStore(
                store, new MetaType<>(null, null), ByteArrayDataType.INSTANCE, LOCK_TIMEOUT_MILLIS);
        transactions.init();
        transactions.endLeftoverTransactions();
        Budget memory = spec.memory();
        if (memory != null) {
            store.setCacheSize(Math.toIntExact(memory.cacheBytes() >> 10));
        }
        store.setAutoCommitDelay(spec.sync() == Sync.OFF ? WRITE_DELAY_MILLIS : 0);
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
