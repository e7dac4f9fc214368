///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/Lmdb.java
//DEPS org.deephacks.lmdbjni:lmdbjni:0.4.7 org.deephacks.lmdbjni:lmdbjni-linux64:0.4.7

package stores;

import static org.fusesource.lmdbjni.Constants.APPEND;
import static org.fusesource.lmdbjni.Constants.CREATE;
import static org.fusesource.lmdbjni.Constants.INTEGERKEY;

import families.Lmdb;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;
import org.fusesource.lmdbjni.Cursor;
import org.fusesource.lmdbjni.Database;
import org.fusesource.lmdbjni.DirectBuffer;
import org.fusesource.lmdbjni.Env;
import org.fusesource.lmdbjni.GetOp;
import org.fusesource.lmdbjni.LMDBException;
import org.fusesource.lmdbjni.SeekOp;
import org.fusesource.lmdbjni.Transaction;

/**
 * LMDB through LMDBJNI. Two of its direct buffers, aimed at the entry when writing and by LMDB at
 * its map when reading, serve a whole pass: no copies and no objects.
 */
public final class LmdbJni implements Store {

    public static void main(String... arguments) {
        Cli.run(new LmdbJni(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return Lmdb.options(StoreDescriptor.of(
                        LmdbJni.class,
                        "LMDB JNI",
                        StoreDescriptor.B_PLUS_TREE,
                        "#2aa198",
                        "org.deephacks.lmdbjni:lmdbjni",
                        "LMDB through LMDBJNI with direct buffers"))
                .usage(
                        "directbuffer.disable.bounds.checks",
                        "false (default)",
                        "nothing is read through the buffers' accessors",
                        "https://github.com/deephacks/lmdbjni#readme")
                .accessPath();
    }

    @Override
    public String engine() {
        return Env.version().split(":")[0]; // the date follows
    }

    @Override
    public ByteOrder intKeyOrder() {
        return ByteOrder.nativeOrder();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        Lmdb.Settings settings = Lmdb.settings(describe(), spec);
        Env env = new Env();
        env.setMapSize(settings.mapBytes);
        env.setMaxDbs(1);
        env.open(directory.toString(), settings.flags);
        Database database =
                env.openDatabase("db", settings.integerKeys ? CREATE | INTEGERKEY : CREATE);
        return new Environment(env, database, Lmdb.batch(spec), Lmdb.getsByCursor(spec));
    }

    private record Environment(Env env, Database database, int batch, boolean byCursor)
            implements Db {

        @Override
        public Writer writer() {
            return new Load(this, 0);
        }

        @Override
        public Writer loader() {
            return new Load(this, APPEND);
        }

        @Override
        public Reader reader() {
            return new Reads(env.createReadTransaction(), this);
        }

        @Override
        public void compact() {
            throw new Unavailable(Lmdb.NO_COMPACTION);
        }

        @Override
        public void backup(Path copy) {
            env.copy(copy.toString());
        }

        @Override
        public List<Object> configured() {
            var told = new Lmdb.Settings();
            told.flags = env.getFlags();
            told.mapBytes = env.info().getMapSize();
            return List.of(told);
        }

        @Override
        public void close() {
            database.close();
            env.close();
        }
    }

    private static final class Load implements Writer {

        private final Environment to;
        private final int flags;
        private final DirectBuffer key = new DirectBuffer(0, 0);
        private final DirectBuffer value = new DirectBuffer(0, 0);
        private Transaction txn;
        private Cursor cursor;
        private int left;

        Load(Environment to, int flags) {
            this.to = to;
            this.flags = flags;
            begin();
        }

        private void begin() {
            txn = to.env.createWriteTransaction();
            cursor = to.database.openCursor(txn);
            left = to.batch;
        }

        @Override
        public void put(Entry entry) {
            if (left-- == 0) {
                close();
                begin();
                left--;
            }
            key.wrap(entry.keyAddress(), entry.keyBytes());
            value.wrap(entry.valueAddress(), entry.valueBytes());
            int code = cursor.put(key, value, flags);
            if (code != 0) {
                throw new LMDBException("mdb_cursor_put failed with code " + code, code);
            }
        }

        @Override
        public void delete(Entry entry) {
            if (left-- == 0) {
                commit();
                left--;
            }
            key.wrap(entry.keyAddress(), entry.keyBytes());
            to.database.delete(txn, key);
        }

        @Override
        public void commit() {
            close();
            begin();
        }

        @Override
        public void close() {
            cursor.close();
            txn.commit();
        }
    }

    private static final class Reads implements Reader {

        private final Transaction txn;
        private final Database database;
        private final boolean byCursor;
        private final Cursor cursor;
        private final DirectBuffer key = new DirectBuffer(0, 0);
        private final DirectBuffer value = new DirectBuffer(0, 0);

        Reads(Transaction txn, Environment of) {
            this.txn = txn;
            this.database = of.database;
            this.byCursor = of.byCursor;
            this.cursor = database.openCursor(txn);
        }

        @Override
        public void get(Entry entry, Sink sink) {
            key.wrap(entry.keyAddress(), entry.keyBytes());
            int code = byCursor
                    ? cursor.seekPosition(key, value, SeekOp.KEY)
                    : database.get(txn, key, value);
            if (code == 0) {
                emit(sink);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            boolean forwards = direction == Direction.FORWARDS;
            int code;
            if (from == null) {
                code = cursor.position(key, value, forwards ? GetOp.FIRST : GetOp.LAST);
            } else {
                code = forwards ? seek(from, SeekOp.RANGE) : floor(from);
            }
            GetOp next = forwards ? GetOp.NEXT : GetOp.PREV;
            for (int left = limit; code == 0 && left > 0; ) {
                emit(sink);
                if (--left > 0) {
                    code = cursor.position(key, value, next);
                }
            }
        }

        /** Goes to the greatest key up to the entry's. */
        private int floor(Entry from) {
            int code = seek(from, SeekOp.KEY);
            if (code == 0) {
                return code;
            }
            boolean greater = seek(from, SeekOp.RANGE) == 0;
            return cursor.position(key, value, greater ? GetOp.PREV : GetOp.LAST);
        }

        private int seek(Entry from, SeekOp how) {
            key.wrap(from.keyAddress(), from.keyBytes());
            return cursor.seekPosition(key, value, how);
        }

        private void emit(Sink sink) {
            sink.accept(
                    key.addressOffset(), key.capacity(), value.addressOffset(), value.capacity());
        }

        @Override
        public void close() {
            cursor.close();
            txn.close();
        }
    }
}
