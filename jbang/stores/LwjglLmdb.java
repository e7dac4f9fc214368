///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java
//DEPS org.lwjgl:lwjgl-lmdb:3.3.6 org.lwjgl:lwjgl-lmdb:3.3.6:natives-linux org.lwjgl:lwjgl:3.3.6:natives-linux

package stores;

import static org.lwjgl.system.MemoryUtil.NULL;
import static org.lwjgl.system.MemoryUtil.memGetAddress;
import static org.lwjgl.system.MemoryUtil.memPutAddress;
import static org.lwjgl.util.lmdb.LMDB.*;

import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Path;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Shape;
import kv.Sink;
import kv.Store;
import org.lwjgl.PointerBuffer;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.util.lmdb.MDBVal;

/**
 * LMDB through LWJGL, which mirrors the C API. The per-entry calls are its {@code n} variants: they take addresses, so
 * that entries are passed both ways without copies, objects or argument checks.
 */
public final class LwjglLmdb implements Store {

    private static final String LMDB = "http://www.lmdb.tech/doc/group__mdb.html";

    public static void main(String... arguments) {
        Cli.run(new LwjglLmdb(), arguments);
    }

    @Override
    public About about() {
        return About.of(LwjglLmdb.class, "LMDB JGL", About.B_PLUS_TREE, "#6c63d8", "org.lwjgl:lwjgl-lmdb",
                        "LMDB's C API as LWJGL mirrors it: one cursor in one transaction, keys and values passed by address")
                .option("MDB_WRITEMAP", "on", "writes go straight into the map", LMDB + "#ga32a193c6bf4d7d5c5d579e71f22e9340")
                .option("MDB_NOSYNC", "on", "durability is off in this test", LMDB + "#ga32a193c6bf4d7d5c5d579e71f22e9340")
                .option("MDB_INTEGERKEY", "on for int keys", "keys are native integers", LMDB + "#gac08cad5b096925642ca359a6d6f0562a")
                .option("MDB_APPEND", "on for sequential keys", "fills pages in order", LMDB + "#ga1f83ccb40011837ff37cc32be01ad91e")
                .option("mapsize", "4 x data + 64 MiB", "a limit, not an allocation", LMDB + "#gaa2506ec8dab3d969b0e609cd82e619e5")
                .option("transaction", "one for the whole load", "the usual bulk load", LMDB + "#gad7ea55da06b77513609efebd44b26920")
                .option("argument checks", "none", "its n functions, called for each entry, do not check",
                        "https://github.com/LWJGL/lwjgl3-wiki/wiki/2.5.-Troubleshooting");
    }

    @Override
    public String engine() {
        int[] major = new int[1];
        int[] minor = new int[1];
        int[] patch = new int[1];
        mdb_version(major, minor, patch);
        return "LMDB " + major[0] + "." + minor[0] + "." + patch[0];
    }

    @Override
    public ByteOrder intKeyOrder() {
        return ByteOrder.nativeOrder();
    }

    @Override
    public Db open(Path directory, Shape shape) {
        try (MemoryStack stack = MemoryStack.stackPush()) {
            PointerBuffer pointer = stack.mallocPointer(1);
            check(mdb_env_create(pointer));
            long env = pointer.get(0);
            check(mdb_env_set_mapsize(env, 4 * shape.flatBytes() + (64L << 20)));
            check(mdb_env_set_maxdbs(env, 1));
            check(mdb_env_open(env, directory.toString(), MDB_WRITEMAP | MDB_NOSYNC, 0644));
            IntBuffer dbi = stack.mallocInt(1);
            long txn = begin(env, 0);
            check(mdb_dbi_open(txn, "db", shape.intKeys() ? MDB_CREATE | MDB_INTEGERKEY : MDB_CREATE, dbi));
            check(mdb_txn_commit(txn));
            return new Environment(env, dbi.get(0), shape.sequential() ? MDB_APPEND : 0);
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

    private record Environment(long env, int dbi, int putFlags) implements Db {

        @Override
        public Writer writer() {
            return new Load(begin(env, 0), dbi, putFlags);
        }

        @Override
        public Reader reader() {
            return new Reads(begin(env, MDB_RDONLY), dbi);
        }

        @Override
        public void close() {
            mdb_env_close(env);
        }
    }

    /** A cursor, and the two structs in which LMDB takes and gives addresses. */
    private abstract static class Access {

        final long txn;
        final long cursor;
        final MDBVal.Buffer structs = MDBVal.malloc(2);
        final long key = structs.address(0);
        final long value = structs.address(1);

        Access(long txn, int dbi) {
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

        void closeCursor() {
            mdb_cursor_close(cursor);
            structs.free();
        }
    }

    private static final class Load extends Access implements Writer {

        private final int flags;

        Load(long txn, int dbi, int flags) {
            super(txn, dbi);
            this.flags = flags;
        }

        @Override
        public void put(Entry entry) {
            point(key, entry.keyAddress(), entry.keyBytes());
            point(value, entry.valueAddress(), entry.valueBytes());
            check(nmdb_cursor_put(cursor, key, value, flags));
        }

        @Override
        public void close() {
            closeCursor();
            check(mdb_txn_commit(txn));
        }
    }

    private static final class Reads extends Access implements Reader {

        Reads(long txn, int dbi) {
            super(txn, dbi);
        }

        @Override
        public void get(Entry entry, Sink sink) {
            point(key, entry.keyAddress(), entry.keyBytes());
            give(nmdb_cursor_get(cursor, key, value, MDB_SET_KEY), sink);
        }

        @Override
        public void ascend(Sink sink) {
            scan(MDB_FIRST, MDB_NEXT, sink);
        }

        @Override
        public void descend(Sink sink) {
            scan(MDB_LAST, MDB_PREV, sink);
        }

        private void scan(int first, int next, Sink sink) {
            boolean found = give(nmdb_cursor_get(cursor, key, value, first), sink);
            while (found) {
                found = give(nmdb_cursor_get(cursor, key, value, next), sink);
            }
        }

        /** Gives what the cursor is on to the sink; false when it found nothing. */
        private boolean give(int code, Sink sink) {
            if (code == MDB_NOTFOUND) {
                return false;
            }
            check(code);
            sink.accept(memGetAddress(key + MDBVal.MV_DATA), (int) memGetAddress(key + MDBVal.MV_SIZE),
                    memGetAddress(value + MDBVal.MV_DATA), (int) memGetAddress(value + MDBVal.MV_SIZE));
            return true;
        }

        @Override
        public void close() {
            closeCursor();
            mdb_txn_abort(txn);
        }
    }
}
