///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/CacheSize.java
//DEPS org.xerial:sqlite-jdbc:3.54.1.0

package stores;

import families.CacheSize;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import kv.cli.Cli;
import kv.store.Budget;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.MemoryHeadroom;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Value;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;

/**
 * SQLite as a key-value store: one table of the form that its authors advise for the rows at hand.
 */
public final class Sqlite implements Store {

    private static final int PAGE_BYTES = 4096;
    // Of the LevelDB page, where a case grants memory
    private static final int SMALL_PAGE_BYTES = 1024;
    private static final long TRANSACTION_BYTES = 128L << 20;
    private static final long MAP_BYTES = 8L << 30;
    private static final int ROWS_IN_A_PAGE = 20; // at least, of a table without a rowid
    private static final int ROWS_IN_A_CALL = 1_000;
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    public static void main(String... arguments) {
        Cli.run(new Sqlite(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String pragma = "https://www.sqlite.org/pragma.html#pragma_";
        return StoreDescriptor.of(
                        Sqlite.class,
                        "SQLite",
                        StoreDescriptor.B_PLUS_TREE,
                        "#7a8b22",
                        "org.xerial:sqlite-jdbc",
                        "SQLite through its JDBC driver: one prepared statement, executed for many"
                                + " rows at once, in large transactions")
                .usage(
                        "INTEGER PRIMARY KEY",
                        "int keys",
                        "they are the rowid, by which the table is ordered",
                        "https://www.sqlite.org/lang_createtable.html#rowid")
                .usage(
                        "WITHOUT ROWID",
                        "other keys, where %d rows fit a page; else a table and its index"
                                .formatted(ROWS_IN_A_PAGE),
                        "one tree in place of two, advised for small rows",
                        "https://www.sqlite.org/withoutrowid.html#when_to_use_without_rowid")
                .option(Option.of(
                                "journal_mode",
                                Value.of("WAL", SQLiteConfig.JournalMode.WAL),
                                "recommended where writers should not block readers",
                                pragma + "journal_mode")
                        .sets(Pragmas.class, (to, mode) -> to.set("journal_mode", mode.name()))
                        .reads(
                                Pragmas.class,
                                told -> SQLiteConfig.JournalMode.valueOf(
                                        told.text("journal_mode").toUpperCase()))
                        .term())
                .option(Option.of(
                                "synchronous",
                                Value.in(
                                        "OFF",
                                        spec -> spec.sync() == Sync.ON
                                                ? SQLiteConfig.SynchronousMode.FULL
                                                : SQLiteConfig.SynchronousMode.OFF),
                                "durability is off in this test",
                                pragma + "synchronous")
                        .sets(SQLiteConfig.class, SQLiteConfig::setSynchronous)
                        .reads(
                                Pragmas.class,
                                told -> SQLiteConfig.SynchronousMode.values()[
                                        (int) told.number("synchronous")])
                        .term())
                .option(Option.of(
                                "locking_mode",
                                Value.in("EXCLUSIVE; NORMAL beside a writer", Sqlite::locking),
                                "one process; the WAL index stays on the heap, where connections"
                                        + " do not share it",
                                pragma + "locking_mode")
                        .sets(SQLiteConfig.class, SQLiteConfig::setLockingMode)
                        .reads(
                                Pragmas.class,
                                told -> SQLiteConfig.LockingMode.valueOf(
                                        told.text("locking_mode").toUpperCase()))
                        .shipped(SQLiteConfig.LockingMode.NORMAL))
                .option(Option.of(
                                "page_size",
                                Value.in(String.valueOf(PAGE_BYTES), Sqlite::pageBytes),
                                "the default",
                                pragma + "page_size")
                        .sets(SQLiteConfig.class, SQLiteConfig::setPageSize)
                        .reads(Pragmas.class, told -> (int) told.number("page_size"))
                        .shipped(PAGE_BYTES))
                .option(Option.of(
                                "cache_size",
                                Value.in(
                                        CacheSize.OUTSIDE_HEAP,
                                        spec -> -Math.toIntExact(cacheBytes(spec) >> 10)),
                                "holds all data; the default is 2 MB",
                                pragma + "cache_size")
                        .sets(SQLiteConfig.class, SQLiteConfig::setCacheSize)
                        .reads(Pragmas.class, told -> (int) told.number("cache_size"))
                        .shipped(-2000))
                .option(Option.of(
                                "mmap_size",
                                Value.in(
                                        (MAP_BYTES >> 30)
                                                + " GiB; 0 where the data exceed the memory"
                                                + " outside the heap",
                                        Sqlite::mapBytes),
                                "reads without copying pages",
                                pragma + "mmap_size")
                        .sets(
                                SQLiteConfig.class,
                                (config, bytes) -> config.setPragma(
                                        SQLiteConfig.Pragma.MMAP_SIZE, bytes.toString()))
                        .reads(Pragmas.class, told -> told.number("mmap_size"))
                        .shipped(0L))
                .usage(
                        "transaction",
                        "entries of " + (TRANSACTION_BYTES >> 20)
                                + " MiB, or of a quarter of the cache",
                        "what it changes stays in the cache, and the log short",
                        "https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files")
                .usage(
                        "executeBatch",
                        ROWS_IN_A_CALL + " rows, or as many as a transaction has",
                        "the driver runs the statement for all of them in one call",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/java.sql/java/sql/"
                                + "PreparedStatement.html#addBatch()")
                .setting(Setting.BATCH, "entries in a transaction")
                .setting(
                        Setting.SYNC,
                        "on: synchronous FULL; os: as off, since a commit writes the log")
                .setting(
                        Setting.MEMORY,
                        "cache_size; page_size 1024 as the LevelDB page has it, and no mmap_size,"
                                + " which would go round the cache")
                .fixed(Setting.COMPRESSION, "default", "does not compress")
                .setting(
                        Setting.THREADS,
                        "one connection, which each thread has until its share is written; there"
                                + " is one writer at a time, so threads queue")
                .setting(Setting.WRITES, "each reader has a connection of its own")
                .setting(Setting.DEFAULTS, "cache_size 2 MB, no mmap_size, locking_mode NORMAL");
    }

    @Override
    public String engine() throws SQLException {
        try (Connection connection =
                        JDBC.createConnection("jdbc:sqlite::memory:", new java.util.Properties());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT sqlite_version()")) {
            return "SQLite " + rows.getString(1);
        }
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws SQLException {
        StoreDescriptor described = describe();
        SQLiteConfig config = described.set(new SQLiteConfig(), spec);
        String url = "jdbc:sqlite:" + directory.resolve("db");
        Connection connection = config.createConnection(url);
        described.set(new Pragmas(connection), spec); // pages keep their size once there is a log
        String key = spec.intKeys() ? "INTEGER" : "BLOB";
        boolean rowid = spec.intKeys() || spec.entryBytes() > pageBytes(spec) / ROWS_IN_A_PAGE;
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS entry (k " + key
                    + " PRIMARY KEY, v BLOB NOT NULL)" + (rowid ? "" : " WITHOUT ROWID"));
        }
        connection.setAutoCommit(false);
        long transactionBytes = Math.min(TRANSACTION_BYTES, cacheBytes(spec) / 4);
        int batch = spec.count(
                Setting.BATCH, Math.toIntExact(Math.max(1, transactionBytes / spec.entryBytes())));
        ReentrantLock turn = new ReentrantLock();
        Queue<Connection> idle = new ConcurrentLinkedQueue<>(); // of readers that are closed
        return new Db() {
            @Override
            public Writer writer() throws SQLException {
                return new Load(connection, turn, spec.intKeys(), batch);
            }

            @Override
            public Reader reader() throws SQLException {
                if (locking(spec) == SQLiteConfig.LockingMode.EXCLUSIVE) {
                    return new Snapshot(connection, turn, spec.intKeys(), () -> {});
                }
                Connection kept = idle.poll();
                Connection own = kept == null ? config.createConnection(url) : kept;
                own.setAutoCommit(false);
                return new Snapshot(own, new ReentrantLock(), spec.intKeys(), () -> idle.add(own));
            }

            @Override
            public void compact() throws SQLException {
                outsideTransaction(connection, "VACUUM");
            }

            @Override
            public void backup(Path copy) throws SQLException {
                // The driver's words for the online backup API
                outsideTransaction(connection, "backup to '" + copy.resolve("db") + "'");
            }

            @Override
            public List<Object> configured() {
                return List.of(new Pragmas(connection));
            }

            @Override
            public void close() throws SQLException {
                for (Connection each : idle) {
                    each.close();
                }
                connection.close();
            }
        };
    }

    private static SQLiteConfig.LockingMode locking(CaseSpec spec) {
        return spec.settings().containsKey(Setting.WRITES)
                ? SQLiteConfig.LockingMode.NORMAL
                : SQLiteConfig.LockingMode.EXCLUSIVE;
    }

    private static int pageBytes(CaseSpec spec) {
        return spec.memory() == null ? PAGE_BYTES : SMALL_PAGE_BYTES;
    }

    private static long cacheBytes(CaseSpec spec) {
        Budget memory = spec.memory();
        return memory == null ? CacheSize.outsideHeap(spec) : memory.bytes();
    }

    private static long mapBytes(CaseSpec spec) {
        return spec.memory() == null && MemoryHeadroom.holds(spec.flatBytes()) ? MAP_BYTES : 0;
    }

    /** What a connection runs with. */
    private record Pragmas(Connection connection) {

        void set(String name, String value) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA " + name + " = " + value);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        String text(String name) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("PRAGMA " + name)) {
                return rows.next() ? rows.getString(1) : "0";
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        long number(String name) {
            return Long.parseLong(text(name));
        }
    }

    private static void outsideTransaction(Connection connection, String command)
            throws SQLException {
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(command);
        }
        connection.setAutoCommit(false);
    }

    private static void setKey(PreparedStatement statement, byte[] key, boolean ints)
            throws SQLException {
        if (ints) {
            statement.setInt(1, (int) INT.get(key, 0));
        } else {
            statement.setBytes(1, key);
        }
    }

    private static final class Load implements Writer {

        private final Connection connection;
        private final ReentrantLock turn;
        private final PreparedStatement insert;
        private PreparedStatement delete; // null until it is used
        private final boolean ints;
        private final int batch;
        private int left; // of the transaction
        private int waiting; // for the next executeBatch

        Load(Connection connection, ReentrantLock turn, boolean ints, int batch)
                throws SQLException {
            this.connection = connection;
            this.turn = turn;
            this.ints = ints;
            this.batch = batch;
            this.left = batch;
            this.insert = connection.prepareStatement("INSERT OR REPLACE INTO entry VALUES (?, ?)");
            turn.lock(); // SQLite has one writer at a time
        }

        @Override
        public void put(Entry entry) throws SQLException {
            setKey(insert, ints ? entry.key() : entry.newKey(), ints);
            insert.setBytes(2, entry.newValue()); // kept until it is executed
            insert.addBatch();
            boolean last = --left == 0;
            if (++waiting == ROWS_IN_A_CALL || last) {
                insert.executeBatch();
                waiting = 0;
            }
            if (last) {
                connection.commit();
                left = batch;
            }
        }

        @Override
        public void delete(Entry entry) throws SQLException {
            if (delete == null) {
                delete = connection.prepareStatement("DELETE FROM entry WHERE k = ?");
            }
            insert.executeBatch(); // which may have put it
            waiting = 0;
            setKey(delete, entry.key(), ints);
            delete.executeUpdate();
            if (--left == 0) {
                commit();
            }
        }

        @Override
        public void commit() throws SQLException {
            insert.executeBatch();
            waiting = 0;
            connection.commit();
            left = batch;
        }

        @Override
        public void close() throws SQLException {
            try {
                insert.executeBatch();
                insert.close();
                if (delete != null) {
                    delete.close();
                }
                connection.commit();
            } finally {
                turn.unlock();
            }
        }
    }

    private static final class Snapshot implements Reader {

        private final Connection connection;
        private final ReentrantLock turn;
        private final PreparedStatement get;
        private final Map<String, PreparedStatement> scans = new HashMap<>(); // by their text
        private final boolean ints;
        private final Runnable closed;
        private final byte[] number = new byte[Integer.BYTES];

        Snapshot(Connection connection, ReentrantLock turn, boolean ints, Runnable closed)
                throws SQLException {
            this.connection = connection;
            this.turn = turn;
            this.ints = ints;
            this.closed = closed;
            this.get = connection.prepareStatement("SELECT v FROM entry WHERE k = ?");
        }

        @Override
        public void get(Entry entry, Sink sink) throws SQLException {
            byte[] key = entry.key();
            setKey(get, key, ints);
            try (ResultSet rows = get.executeQuery()) {
                if (rows.next()) {
                    sink.accept(key, rows.getBytes(1));
                }
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink)
                throws SQLException {
            boolean keys = sink.wantsKeys();
            boolean forwards = direction == Direction.FORWARDS;
            PreparedStatement select = select("SELECT v" + (keys ? ", k" : "") + " FROM entry"
                    + (from == null ? "" : forwards ? " WHERE k >= ?" : " WHERE k <= ?")
                    + " ORDER BY k" + (forwards ? "" : " DESC")
                    + (limit == ALL ? "" : " LIMIT ?"));
            if (from != null) {
                setKey(select, from.key(), ints);
            }
            if (limit != ALL) {
                select.setInt(from == null ? 1 : 2, limit);
            }
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    byte[] value = rows.getBytes(1);
                    if (keys) {
                        sink.accept(key(rows), value);
                    } else {
                        sink.accept(value);
                    }
                }
            }
        }

        private PreparedStatement select(String sql) throws SQLException {
            PreparedStatement select = scans.get(sql);
            if (select == null) {
                select = connection.prepareStatement(sql);
                scans.put(sql, select);
            }
            return select;
        }

        private byte[] key(ResultSet rows) throws SQLException {
            if (!ints) {
                return rows.getBytes(2);
            }
            INT.set(number, 0, rows.getInt(2));
            return number;
        }

        @Override
        public void close() throws SQLException {
            turn.lock();
            try {
                get.close();
                for (PreparedStatement scan : scans.values()) {
                    scan.close();
                }
                connection.rollback(); // ends the read transaction, which would hold its snapshot
                closed.run();
            } finally {
                turn.unlock();
            }
        }
    }
}
