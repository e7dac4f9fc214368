///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java
//DEPS com.sleepycat:je:18.3.12

package stores;

import com.sleepycat.je.CheckpointConfig;
import com.sleepycat.je.Cursor;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Durability;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.JEVersion;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import com.sleepycat.je.Transaction;
import com.sleepycat.je.TransactionConfig;
import com.sleepycat.je.util.DbBackup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Value;

/**
 * Berkeley DB Java Edition: a B+ tree whose nodes and records are appended to a log, and cached on
 * the heap.
 */
public final class BerkeleyDb implements Store {

    private static final int BATCH_ENTRIES = 1_000;
    // Readers of a transaction's records would wait for its end
    private static final LockMode READS = LockMode.READ_UNCOMMITTED;

    public static void main(String... arguments) {
        Cli.run(new BerkeleyDb(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String javadoc = "https://docs.oracle.com/cd/E17277_02/html/java/com/sleepycat/je/";
        String config = javadoc + "EnvironmentConfig.html#";
        return StoreDescriptor.of(
                        BerkeleyDb.class,
                        "Berkeley DB JE",
                        StoreDescriptor.LOG_STRUCTURED,
                        "#0891b2",
                        "com.sleepycat:je",
                        "Berkeley DB Java Edition, loaded in transactions; keys and values are"
                                + " copied in and out")
                .usage(
                        "transaction",
                        "every %,d entries".formatted(BATCH_ENTRIES),
                        "a commit for many; each entry that it wrote is locked until then",
                        javadoc + "Transaction.html")
                .option(Option.of(
                                "Durability",
                                Value.in("COMMIT_NO_SYNC", BerkeleyDb::durability),
                                "durability is off in this test: a commit stays in its log buffers",
                                javadoc + "Durability.html")
                        .sets(TransactionConfig.class, TransactionConfig::setDurability)
                        .reads(TransactionConfig.class, TransactionConfig::getDurability)
                        .term())
                .usage(
                        "LockMode",
                        "READ_UNCOMMITTED",
                        "a read takes no lock, as none does in stores with snapshots",
                        javadoc + "LockMode.html#READ_UNCOMMITTED")
                .option(Option.of(
                                "je.maxMemoryPercent",
                                Value.of("60 (default)", 60),
                                "of the heap, for the tree and its records",
                                config + "MAX_MEMORY_PERCENT")
                        .reads(EnvironmentConfig.class, EnvironmentConfig::getCachePercent))
                .option(Option.of(
                                "je.log.fileMax",
                                Value.of("64 MiB", String.valueOf(64 << 20)),
                                "fewer files; the default is 10 MB",
                                config + "LOG_FILE_MAX")
                        .sets(
                                EnvironmentConfig.class,
                                (to, bytes) ->
                                        to.setConfigParam(EnvironmentConfig.LOG_FILE_MAX, bytes))
                        .reads(
                                EnvironmentConfig.class,
                                told -> told.getConfigParam(EnvironmentConfig.LOG_FILE_MAX))
                        .shipped("10000000"))
                .option(Option.of(
                                "je.env.runVerifier",
                                Value.of("false"),
                                "a job that reads all data at midnight",
                                config + "ENV_RUN_VERIFIER")
                        .sets(
                                EnvironmentConfig.class,
                                (to, on) ->
                                        to.setConfigParam(EnvironmentConfig.ENV_RUN_VERIFIER, on))
                        .reads(
                                EnvironmentConfig.class,
                                told -> told.getConfigParam(EnvironmentConfig.ENV_RUN_VERIFIER))
                        .shipped("true"))
                .option(Option.of(
                                "je.env.runCleaner, runCheckpointer",
                                Value.of("true (default)", List.of("true", "true")),
                                "its background threads",
                                config + "ENV_RUN_CLEANER")
                        .reads(
                                EnvironmentConfig.class,
                                told -> List.of(
                                        told.getConfigParam(EnvironmentConfig.ENV_RUN_CLEANER),
                                        told.getConfigParam(
                                                EnvironmentConfig.ENV_RUN_CHECKPOINTER))))
                .option(Option.of(
                                "keyPrefixing",
                                Value.of("false (default)", false),
                                "keys are stored whole",
                                javadoc + "DatabaseConfig.html#setKeyPrefixing-boolean-")
                        .reads(DatabaseConfig.class, DatabaseConfig::getKeyPrefixing))
                .setting(Setting.BATCH, "entries in a transaction")
                .setting(Setting.SYNC, "os: COMMIT_WRITE_NO_SYNC; on: COMMIT_SYNC")
                .setting(Setting.MEMORY, "je.maxMemory, for all of it")
                .fixed(Setting.COMPRESSION, "default", "does not compress")
                .setting(
                        Setting.THREADS,
                        "one environment, in which each thread has transactions of its own")
                .setting(Setting.DEFAULTS, "files of 10 MB, the verifier on");
    }

    @Override
    public String engine() {
        return "Berkeley DB JE " + JEVersion.CURRENT_VERSION.getNumericVersionString();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        StoreDescriptor described = describe();
        EnvironmentConfig config = described.set(new EnvironmentConfig(), spec);
        config.setAllowCreate(true).setTransactional(true);
        if (spec.memory() != null) {
            config.setCacheSize(spec.memory().bytes());
        }
        Environment environment = new Environment(directory.toFile(), config);
        Database database = environment.openDatabase(
                null, "entries", new DatabaseConfig().setAllowCreate(true).setTransactional(true));
        return new Log(
                environment,
                database,
                described.set(new TransactionConfig(), spec),
                spec.count(Setting.BATCH, BATCH_ENTRIES));
    }

    private static Durability durability(CaseSpec spec) {
        return switch (spec.sync()) {
            case OFF -> Durability.COMMIT_NO_SYNC;
            case OS -> Durability.COMMIT_WRITE_NO_SYNC;
            case ON -> Durability.COMMIT_SYNC;
        };
    }

    private record Log(
            Environment environment, Database database, TransactionConfig config, int batch)
            implements Db {

        @Override
        public Writer writer() {
            return new Batches(this);
        }

        @Override
        public Reader reader() {
            return new Reads(database);
        }

        /** The loop that its documentation gives: files are deleted by the checkpoint. */
        @Override
        public void compact() {
            int cleaned = 0;
            for (int files; (files = environment.cleanLog()) > 0; ) {
                cleaned += files;
            }
            if (cleaned > 0) {
                environment.checkpoint(new CheckpointConfig().setForce(true));
            }
        }

        @Override
        public void backup(Path directory) throws IOException {
            DbBackup backup = new DbBackup(environment);
            backup.startBackup(); // from here on its log files are complete, and stay
            try {
                for (String file : backup.getLogFilesInBackupSet()) {
                    Files.copy(
                            environment.getHome().toPath().resolve(file), directory.resolve(file));
                }
            } finally {
                backup.endBackup();
            }
        }

        @Override
        public List<Object> configured() {
            return List.of(environment.getConfig(), database.getConfig(), config);
        }

        @Override
        public void close() {
            database.close();
            environment.close();
        }
    }

    private static final class Batches implements Writer {

        private final Log log;
        private final DatabaseEntry key = new DatabaseEntry();
        private final DatabaseEntry value = new DatabaseEntry();
        private Transaction transaction;
        private int left;

        Batches(Log log) {
            this.log = log;
            begin();
        }

        private void begin() {
            transaction = log.environment.beginTransaction(null, log.config);
            left = log.batch;
        }

        @Override
        public void put(Entry entry) {
            key.setData(entry.key());
            value.setData(entry.value());
            log.database.put(transaction, key, value);
            if (--left == 0) {
                transaction.commit();
                begin();
            }
        }

        @Override
        public void delete(Entry entry) {
            key.setData(entry.key());
            log.database.delete(transaction, key);
            if (--left == 0) {
                commit();
            }
        }

        @Override
        public void commit() {
            transaction.commit();
            begin();
        }

        @Override
        public void close() {
            transaction.commit();
        }
    }

    private static final class Reads implements Reader {

        private final Database database;
        private final DatabaseEntry key = new DatabaseEntry();
        private final DatabaseEntry value = new DatabaseEntry();

        Reads(Database database) {
            this.database = database;
        }

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] sought = entry.key();
            key.setData(sought);
            if (database.get(null, key, value, READS) == OperationStatus.SUCCESS) {
                sink.accept(sought, value.getData());
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            boolean keys = sink.wantsKeys();
            boolean forwards = direction == Direction.FORWARDS;
            DatabaseEntry found = new DatabaseEntry();
            try (Cursor cursor = database.openCursor(null, null)) {
                OperationStatus status = OperationStatus.SUCCESS;
                if (from != null) {
                    found.setData(from.newKey());
                    status = forwards
                            ? cursor.getSearchKeyRange(found, value, READS)
                            : floor(cursor, found);
                }
                found.setPartial(0, 0, !keys); // a key that does not matter is not copied
                if (from == null) { // a cursor that is new goes to the first entry, or the last
                    status = step(cursor, found, forwards);
                }
                for (int left = limit; status == OperationStatus.SUCCESS && left > 0; ) {
                    if (keys) {
                        sink.accept(found.getData(), value.getData());
                    } else {
                        sink.accept(value.getData());
                    }
                    if (--left > 0) {
                        status = step(cursor, found, forwards);
                    }
                }
            }
        }

        private OperationStatus step(Cursor cursor, DatabaseEntry found, boolean forwards) {
            return forwards
                    ? cursor.getNext(found, value, READS)
                    : cursor.getPrev(found, value, READS);
        }

        /** Goes to the greatest key up to the one in {@code found}. */
        private OperationStatus floor(Cursor cursor, DatabaseEntry found) {
            OperationStatus status = cursor.getSearchKey(found, value, READS);
            if (status == OperationStatus.SUCCESS) {
                return status;
            }
            return cursor.getSearchKeyRange(found, value, READS) == OperationStatus.SUCCESS
                    ? cursor.getPrev(found, value, READS)
                    : cursor.getLast(found, value, READS);
        }

        @Override
        public void close() {
            // A scan closes its cursor, and a get has none.
        }
    }
}
