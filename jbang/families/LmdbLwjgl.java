package families;

//SOURCES Lmdb.java

import static org.lwjgl.system.MemoryUtil.NULL;
import static org.lwjgl.system.MemoryUtil.memGetAddress;
import static org.lwjgl.system.MemoryUtil.memPutAddress;
import static org.lwjgl.util.lmdb.LMDB.*;

import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.List;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;
import org.lwjgl.PointerBuffer;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.util.lmdb.MDBEnvInfo;
import org.lwjgl.util.lmdb.MDBVal;

/**
 * LMDB through LWJGL, which mirrors the C API. The per-entry calls are its {@code n} variants: they
 * take addresses, so that entries are passed both ways without copies, objects or argument checks.
 */
public abstract class LmdbLwjgl implements Store {

    /** What both versions have in common; the subclass names itself. */
    protected static StoreDescriptor describe(
            Class<? extends Store> script, String name, String colour, String summary) {
        return Lmdb.options(StoreDescriptor.of(
                        script,
                        name,
                        StoreDescriptor.B_PLUS_TREE,
                        colour,
                        "org.lwjgl:lwjgl-lmdb",
                        summary))
                .usage(
                        "argument checks",
                        "none",
                        "its n functions, called for each entry, do not check",
                        "https://github.com/LWJGL/lwjgl3-wiki/wiki/2.5.-Troubleshooting");
    }

    @Override
    public final String engine() {
        int[] major = new int[1];
        int[] minor = new int[1];
        int[] patch = new int[1];
        mdb_version(major, minor, patch);
        return "LMDB " + major[0] + "." + minor[0] + "." + patch[0];
    }

    @Override
    public final ByteOrder intKeyOrder() {
        return ByteOrder.nativeOrder();
    }

    @Override
    public final Db open(Path directory, CaseSpec spec) {
        Lmdb.Settings settings = Lmdb.settings(describe(), spec);
        try (MemoryStack stack = MemoryStack.stackPush()) {
            PointerBuffer pointer = stack.mallocPointer(1);
            check(mdb_env_create(pointer));
            long env = pointer.get(0);
            check(mdb_env_set_mapsize(env, settings.mapBytes));
            check(mdb_env_set_maxdbs(env, 1));
            check(mdb_env_open(env, directory.toString(), settings.flags, 0644));
            IntBuffer dbi = stack.mallocInt(1);
            long txn = begin(env, 0);
            check(mdb_dbi_open(
                    txn,
                    "db",
                    settings.integerKeys ? MDB_CREATE | MDB_INTEGERKEY : MDB_CREATE,
                    dbi));
            check(mdb_txn_commit(txn));
            return new Environment(env, dbi.get(0), Lmdb.batch(spec), Lmdb.getsByCursor(spec));
        }
    }

    private static long begin(long env, int flags) {
        try (MemoryStack stack = MemoryStack.stackPush()) {
            PointerBuffer txn = stack.mallocPointer(1);
            check(mdb_txn_begin(env, NULL, flags, txn));
            return txn.get(0);
        }
    }

    private static void check(int code) {
        if (code != MDB_SUCCESS) {
            throw new IllegalStateException(mdb_strerror(code));
        }
    }

    private record Environment(long env, int dbi, int batch, boolean byCursor) implements Db {

        @Override
        public Writer writer() {
            return new Load(this, 0);
        }

        @Override
        public Writer loader() {
            return new Load(this, MDB_APPEND);
        }

        @Override
        public Reader reader() {
            return new Reads(begin(env, MDB_RDONLY), this);
        }

        @Override
        public void compact() {
            throw new Unavailable(Lmdb.NO_COMPACTION);
        }

        @Override
        public void backup(Path copy) {
            check(mdb_env_copy(env, copy.toString()));
        }

        @Override
        public List<Object> configured() {
            var told = new Lmdb.Settings();
            long txn = LmdbLwjgl.begin(env, MDB_RDONLY);
            try (MemoryStack stack = MemoryStack.stackPush()) {
                IntBuffer flags = stack.mallocInt(1);
                check(mdb_env_get_flags(env, flags));
                told.flags = flags.get(0);
                check(mdb_dbi_flags(txn, dbi, flags));
                told.integerKeys = (flags.get(0) & MDB_INTEGERKEY) != 0;
                MDBEnvInfo info = MDBEnvInfo.malloc(stack);
                check(mdb_env_info(env, info));
                told.mapBytes = info.me_mapsize();
            }
            mdb_txn_abort(txn);
            return List.of(told);
        }

        @Override
        public void close() {
            mdb_env_close(env);
        }
    }

    /** A cursor, and the two structs in which LMDB takes and gives addresses. */
    private abstract static class Access {

        final MDBVal.Buffer structs = MDBVal.malloc(2);
        final long key = structs.address(0);
        final long value = structs.address(1);
        long txn;
        long cursor;

        void open(long txn, int dbi) {
            this.txn = txn;
            try (MemoryStack stack = MemoryStack.stackPush()) {
                PointerBuffer pointer = stack.mallocPointer(1);
                check(mdb_cursor_open(txn, dbi, pointer));
                cursor = pointer.get(0);
            }
        }

        static void point(long struct, long address, int bytes) {
            memPutAddress(struct + MDBVal.MV_SIZE, bytes);
            memPutAddress(struct + MDBVal.MV_DATA, address);
        }
    }

    private static final class Load extends Access implements Writer {

        private final Environment to;
        private final int flags;
        private int left;

        Load(Environment to, int flags) {
            this.to = to;
            this.flags = flags;
            begin();
        }

        private void begin() {
            open(LmdbLwjgl.begin(to.env, 0), to.dbi);
            left = to.batch;
        }

        private void end() {
            mdb_cursor_close(cursor);
            check(mdb_txn_commit(txn));
        }

        @Override
        public void put(Entry entry) {
            if (left-- == 0) {
                end();
                begin();
                left--;
            }
            point(key, entry.keyAddress(), entry.keyBytes());
            point(value, entry.valueAddress(), entry.valueBytes());
            check(nmdb_cursor_put(cursor, key, value, flags));
        }

        @Override
        public void delete(Entry entry) {
            if (left-- == 0) {
                commit();
                left--;
            }
            point(key, entry.keyAddress(), entry.keyBytes());
            int code = nmdb_del(txn, to.dbi, key, NULL);
            if (code != MDB_NOTFOUND) {
                check(code);
            }
        }

        @Override
        public void commit() {
            end();
            begin();
        }

        @Override
        public void close() {
            end();
            structs.free();
        }
    }

    private static final class Reads extends Access implements Reader {

        private final int dbi;
        private final boolean byCursor;

        Reads(long txn, Environment of) {
            dbi = of.dbi;
            byCursor = of.byCursor;
            open(txn, dbi);
        }

        @Override
        public void get(Entry entry, Sink sink) {
            point(key, entry.keyAddress(), entry.keyBytes());
            emit(
                    byCursor
                            ? nmdb_cursor_get(cursor, key, value, MDB_SET_KEY)
                            : nmdb_get(txn, dbi, key, value),
                    sink);
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            boolean forwards = direction == Direction.FORWARDS;
            int code;
            if (from == null) {
                code = nmdb_cursor_get(cursor, key, value, forwards ? MDB_FIRST : MDB_LAST);
            } else {
                code = forwards ? seek(from, MDB_SET_RANGE) : floor(from);
            }
            int next = forwards ? MDB_NEXT : MDB_PREV;
            for (int left = limit; left > 0 && emit(code, sink); left--) {
                code = left > 1 ? nmdb_cursor_get(cursor, key, value, next) : MDB_NOTFOUND;
            }
        }

        /** Goes to the greatest key up to the entry's. */
        private int floor(Entry from) {
            int code = seek(from, MDB_SET_KEY);
            if (code != MDB_NOTFOUND) {
                return code;
            }
            boolean greater = seek(from, MDB_SET_RANGE) == MDB_SUCCESS;
            return nmdb_cursor_get(cursor, key, value, greater ? MDB_PREV : MDB_LAST);
        }

        private int seek(Entry from, int how) {
            point(key, from.keyAddress(), from.keyBytes());
            return nmdb_cursor_get(cursor, key, value, how);
        }

        /** Gives what was found to the sink; false when nothing was. */
        private boolean emit(int code, Sink sink) {
            if (code == MDB_NOTFOUND) {
                return false;
            }
            check(code);
            sink.accept(
                    memGetAddress(key + MDBVal.MV_DATA),
                    (int) memGetAddress(key + MDBVal.MV_SIZE),
                    memGetAddress(value + MDBVal.MV_DATA),
                    (int) memGetAddress(value + MDBVal.MV_SIZE));
            return true;
        }

        @Override
        public void close() {
            mdb_cursor_close(cursor);
            mdb_txn_abort(txn);
            structs.free();
        }
    }
}
