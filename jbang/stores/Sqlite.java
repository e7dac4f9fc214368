///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java
//DEPS org.xerial:sqlite-jdbc:3.54.1.0

package stores;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Shape;
import kv.Sink;
import kv.Store;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;

/** SQLite as a key-value store: one WITHOUT ROWID table, whose rows are the leaves of one B-tree ordered by key. */
public final class Sqlite implements Store {

    private static final int PAGE_BYTES = 4096;
    private static final int CACHE_KIB = 512 << 10;
    private static final long MAP_BYTES = 8L << 30;

    public static void main(String... arguments) {
        Cli.run(new Sqlite(), arguments);
    }

    @Override
    public About about() {
        String pragma = "https://www.sqlite.org/pragma.html#pragma_";
        return About.of(Sqlite.class, "SQLite", About.B_PLUS_TREE, "#7a8b22", "org.xerial:sqlite-jdbc",
                        "SQLite through its JDBC driver: one prepared statement in one transaction")
                .option("WITHOUT ROWID", "on", "one tree instead of a table and its index", "https://www.sqlite.org/withoutrowid.html")
                .option("journal_mode", "WAL", "recommended where writers should not block readers", pragma + "journal_mode")
                .option("synchronous", "OFF", "durability is off in this test", pragma + "synchronous")
                .option("locking_mode", "EXCLUSIVE", "one process; the WAL index stays on the heap", pragma + "locking_mode")
                .option("page_size", PAGE_BYTES, "the default", pragma + "page_size")
                .option("cache_size", CACHE_KIB + " KiB", "holds this test's data; the default is 2 MB", pragma + "cache_size")
                .option("mmap_size", MAP_BYTES + " B", "reads without copying pages", pragma + "mmap_size")
                .option("transaction", "one for the whole load", "the usual bulk load", "https://www.sqlite.org/faq.html#q19");
    }

    @Override
    public String engine() throws SQLException {
        try (Connection connection = JDBC.createConnection("jdbc:sqlite::memory:", new java.util.Properties());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT sqlite_version()")) {
            return "SQLite " + rows.getString(1);
        }
    }

    @Override
    public Db open(Path directory, Shape shape) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setPageSize(PAGE_BYTES);
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        config.setLockingMode(SQLiteConfig.LockingMode.EXCLUSIVE);
        config.setCacheSize(-CACHE_KIB);  // negative: KiB instead of pages
        config.setPragma(SQLiteConfig.Pragma.MMAP_SIZE, Long.toString(MAP_BYTES));
        Connection connection = config.createConnection("jdbc:sqlite:" + directory.resolve("db"));
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS entry (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID");
        }
        connection.setAutoCommit(false);
        return new Db() {
            @Override
            public Writer writer() throws SQLException {
                return new Load(connection);
            }

            @Override
            public Reader reader() throws SQLException {
                return new Snapshot(connection);
            }

            @Override
            public void close() throws SQLException {
                connection.close();
            }
        };
    }

    private static final class Load implements Writer {

        private final Connection connection;
        private final PreparedStatement insert;

        Load(Connection connection) throws SQLException {
            this.connection = connection;
            this.insert = connection.prepareStatement("INSERT INTO entry VALUES (?, ?)");
        }

        @Override
        public void put(Entry entry) throws SQLException {
            insert.setBytes(1, entry.key());
            insert.setBytes(2, entry.value());
            insert.executeUpdate();
        }

        @Override
        public void close() throws SQLException {
            insert.close();
            connection.commit();
        }
    }

    private static final class Snapshot implements Reader {

        private final Connection connection;
        private final PreparedStatement get;

        Snapshot(Connection connection) throws SQLException {
            this.connection = connection;
            this.get = connection.prepareStatement("SELECT v FROM entry WHERE k = ?");
        }

        @Override
        public void get(Entry entry, Sink sink) throws SQLException {
            byte[] key = entry.key();
            get.setBytes(1, key);
            try (ResultSet rows = get.executeQuery()) {
                if (rows.next()) {
                    sink.accept(key, rows.getBytes(1));
                }
            }
        }

        @Override
        public void ascend(Sink sink) throws SQLException {
            scan("ORDER BY k", sink);
        }

        @Override
        public void descend(Sink sink) throws SQLException {
            scan("ORDER BY k DESC", sink);
        }

        private void scan(String order, Sink sink) throws SQLException {
            boolean keys = sink.wantsKeys();
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT v" + (keys ? ", k" : "") + " FROM entry " + order)) {
                while (rows.next()) {
                    byte[] value = rows.getBytes(1);
                    if (keys) {
                        sink.accept(rows.getBytes(2), value);
                    } else {
                        sink.accept(value);
                    }
                }
            }
        }

        @Override
        public void close() throws SQLException {
            get.close();
            connection.rollback();  // ends the read transaction, which would hold its snapshot
        }
    }
}
