package families;

import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import kv.data.Native;

/**
 * The functions of RocksDB's C API that RocksFfm uses. Pointers are longs. Loaded on JDK 22 or
 * later only.
 */
public final class RocksCalls {

    private static final MethodHandle OPTIONS_CREATE;
    private static final MethodHandle OPTIONS_FROM_STRING;
    private static final MethodHandle OPEN;
    private static final MethodHandle CLOSE;
    private static final MethodHandle READ_OPTIONS;
    private static final MethodHandle WRITE_OPTIONS;
    private static final MethodHandle DISABLE_WAL;
    private static final MethodHandle PUT;
    private static final MethodHandle DELETE;
    private static final MethodHandle COMPACT;
    private static final MethodHandle CHECKPOINT;
    private static final MethodHandle CHECKPOINT_WRITE;
    private static final MethodHandle CHECKPOINT_DESTROY;
    private static final MethodHandle MULTI_GET;
    private static final MethodHandle FREE;
    private static final MethodHandle GET_PINNED;
    private static final MethodHandle PINNED_VALUE;
    private static final MethodHandle PINNED_DESTROY;
    private static final MethodHandle GET_INTO_BUFFER;
    private static final MethodHandle ITERATOR;
    private static final MethodHandle ITER_DESTROY;
    private static final MethodHandle ITER_FIRST;
    private static final MethodHandle ITER_LAST;
    private static final MethodHandle ITER_SEEK;
    private static final MethodHandle ITER_SEEK_FOR_PREV;
    private static final MethodHandle ITER_NEXT;
    private static final MethodHandle ITER_PREV;
    private static final MethodHandle ITER_VALID;
    private static final MethodHandle ITER_KEY;
    private static final MethodHandle ITER_VALUE;
    private static final MethodHandle CRITICAL_VALID;
    private static final MethodHandle CRITICAL_KEY;
    private static final MethodHandle CRITICAL_VALUE;

    static {
        try {
            Path folder = Files.createTempDirectory("rocks");
            folder.toFile().deleteOnExit();
            Path library = RocksSide.library(folder);
            library.toFile().deleteOnExit();
            Foreign rocks = new Foreign(library);
            Class<?> p = long.class; // a pointer, or a size_t
            OPTIONS_CREATE = rocks.function("rocksdb_options_create", false, p);
            OPTIONS_FROM_STRING = rocks.function(
                    "rocksdb_get_options_from_string", false, void.class, p, p, p, p);
            OPEN = rocks.function("rocksdb_open", false, p, p, p, p);
            CLOSE = rocks.function("rocksdb_close", false, void.class, p);
            READ_OPTIONS = rocks.function("rocksdb_readoptions_create", false, p);
            WRITE_OPTIONS = rocks.function("rocksdb_writeoptions_create", false, p);
            DISABLE_WAL = rocks.function(
                    "rocksdb_writeoptions_disable_WAL", false, void.class, p, int.class);
            PUT = rocks.function("rocksdb_put", false, void.class, p, p, p, p, p, p, p);
            DELETE = rocks.function("rocksdb_delete", false, void.class, p, p, p, p, p);
            COMPACT = rocks.function("rocksdb_compact_range", false, void.class, p, p, p, p, p);
            CHECKPOINT = rocks.function("rocksdb_checkpoint_object_create", false, p, p, p);
            CHECKPOINT_WRITE =
                    rocks.function("rocksdb_checkpoint_create", false, void.class, p, p, p, p);
            CHECKPOINT_DESTROY =
                    rocks.function("rocksdb_checkpoint_object_destroy", false, void.class, p);
            MULTI_GET =
                    rocks.function("rocksdb_multi_get", false, void.class, p, p, p, p, p, p, p, p);
            FREE = rocks.function("rocksdb_free", false, void.class, p);
            GET_PINNED = rocks.function("rocksdb_get_pinned", false, p, p, p, p, p, p);
            PINNED_VALUE = rocks.function("rocksdb_pinnableslice_value", false, p, p, p);
            PINNED_DESTROY = rocks.function("rocksdb_pinnableslice_destroy", false, void.class, p);
            GET_INTO_BUFFER = rocks.function(
                    "rocksdb_get_into_buffer", false, byte.class, p, p, p, p, p, p, p, p, p);
            ITERATOR = rocks.function("rocksdb_create_iterator", false, p, p, p);
            ITER_DESTROY = rocks.function("rocksdb_iter_destroy", false, void.class, p);
            ITER_FIRST = rocks.function("rocksdb_iter_seek_to_first", false, void.class, p);
            ITER_LAST = rocks.function("rocksdb_iter_seek_to_last", false, void.class, p);
            ITER_SEEK = rocks.function("rocksdb_iter_seek", false, void.class, p, p, p);
            ITER_SEEK_FOR_PREV =
                    rocks.function("rocksdb_iter_seek_for_prev", false, void.class, p, p, p);
            ITER_NEXT = rocks.function("rocksdb_iter_next", false, void.class, p);
            ITER_PREV = rocks.function("rocksdb_iter_prev", false, void.class, p);
            ITER_VALID = rocks.function("rocksdb_iter_valid", false, byte.class, p);
            ITER_KEY = rocks.function("rocksdb_iter_key", false, p, p, p);
            ITER_VALUE = rocks.function("rocksdb_iter_value", false, p, p, p);
            CRITICAL_VALID = rocks.function("rocksdb_iter_valid", true, byte.class, p);
            CRITICAL_KEY = rocks.function("rocksdb_iter_key", true, p, p, p);
            CRITICAL_VALUE = rocks.function("rocksdb_iter_value", true, p, p, p);
        } catch (Exception e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private RocksCalls() {}

    /**
     * Where the C API puts what it returns through pointers: a length, a flag and an error. One per
     * thread.
     */
    public static final class Out {

        private static final int FOUND = 8;
        private static final int ERROR = 16;
        private final ByteBuffer memory =
                ByteBuffer.allocateDirect(24).order(ByteOrder.nativeOrder());
        final long address = Native.address(memory);

        public int length() {
            return (int) memory.getLong(0);
        }

        boolean found() {
            return memory.get(FOUND) != 0;
        }

        long error() {
            return address + ERROR;
        }

        /** Throws what RocksDB complains of, if it does. */
        void check() {
            complain(memory.getLong(ERROR));
        }
    }

    /** Throws the text at an address, if there is one. */
    private static void complain(long address) {
        if (address != 0) {
            StringBuilder output = new StringBuilder();
            long at = address;
            for (byte b = Native.byteAt(at); b != 0; b = Native.byteAt(++at)) {
                output.append((char) b);
            }
            throw new IllegalStateException(output.toString());
        }
    }

    public static long open(String options, Path directory) throws Throwable {
        Out out = new Out();
        ByteBuffer optionText = text(options);
        ByteBuffer path = text(directory.toString());
        long parsed = (long) OPTIONS_CREATE.invokeExact();
        OPTIONS_FROM_STRING.invokeExact(
                (long) OPTIONS_CREATE.invokeExact(),
                Native.address(optionText),
                parsed,
                out.error());
        out.check();
        long db = (long) OPEN.invokeExact(parsed, Native.address(path), out.error());
        out.check();
        java.lang.ref.Reference.reachabilityFence(optionText);
        java.lang.ref.Reference.reachabilityFence(path);
        return db;
    }

    private static ByteBuffer text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocateDirect(bytes.length + 1).put(bytes); // zeroed: it ends the text
    }

    public static void close(long db) throws Throwable {
        CLOSE.invokeExact(db);
    }

    public static long readOptions() throws Throwable {
        return (long) READ_OPTIONS.invokeExact();
    }

    /** Options without a write-ahead log. */
    public static long writeOptions() throws Throwable {
        long options = (long) WRITE_OPTIONS.invokeExact();
        DISABLE_WAL.invokeExact(options, 1);
        return options;
    }

    public static void put(
            long db, long options, long key, int keyBytes, long value, int valueBytes, Out out)
            throws Throwable {
        PUT.invokeExact(db, options, key, (long) keyBytes, value, (long) valueBytes, out.error());
        out.check();
    }

    public static void delete(long db, long options, long key, int keyBytes, Out out)
            throws Throwable {
        DELETE.invokeExact(db, options, key, (long) keyBytes, out.error());
        out.check();
    }

    /** Compacts all keys. */
    public static void compact(long db) throws Throwable {
        COMPACT.invokeExact(db, 0L, 0L, 0L, 0L);
    }

    /**
     * Writes a checkpoint.
     *
     * @param directory does not exist
     */
    public static void checkpoint(long db, Path directory) throws Throwable {
        Out out = new Out();
        ByteBuffer path = text(directory.toString());
        long checkpoint = (long) CHECKPOINT.invokeExact(db, out.error());
        out.check();
        CHECKPOINT_WRITE.invokeExact(checkpoint, Native.address(path), 0L, out.error());
        CHECKPOINT_DESTROY.invokeExact(checkpoint);
        out.check();
        java.lang.ref.Reference.reachabilityFence(path);
    }

    /** Takes the values that were found, each until it returns. */
    public interface Found {
        void accept(int place, long value, int valueBytes);
    }

    /** Looks up keys that lie one after the other. */
    public static void multiGet(
            long db, long options, long keys, int keyBytes, int count, Found found)
            throws Throwable {
        int words = Long.BYTES * count; // of each of five arrays
        ByteBuffer arrays = ByteBuffer.allocateDirect(5 * words).order(ByteOrder.nativeOrder());
        for (int place = 0; place < count; place++) {
            arrays.putLong(place * Long.BYTES, keys + (long) place * keyBytes);
            arrays.putLong(words + place * Long.BYTES, keyBytes);
        }
        long at = Native.address(arrays);
        MULTI_GET.invokeExact(
                db,
                options,
                (long) count,
                at,
                at + words,
                at + 2L * words,
                at + 3L * words,
                at + 4L * words);
        for (int place = 0; place < count; place++) {
            int word = place * Long.BYTES;
            complain(arrays.getLong(4 * words + word));
            long value = arrays.getLong(2 * words + word);
            if (value != 0) {
                found.accept(place, value, (int) arrays.getLong(3 * words + word));
                FREE.invokeExact(value);
            }
        }
    }

    /** The value, pinned where RocksDB has it, or 0. */
    public static long getPinned(long db, long options, long key, int keyBytes, Out out)
            throws Throwable {
        long pinned = (long) GET_PINNED.invokeExact(db, options, key, (long) keyBytes, out.error());
        out.check();
        return pinned;
    }

    public static long pinnedValue(long pinned, Out out) throws Throwable {
        return (long) PINNED_VALUE.invokeExact(pinned, out.address);
    }

    public static void unpin(long pinned) throws Throwable {
        PINNED_DESTROY.invokeExact(pinned);
    }

    /** Copies the value into a buffer; false when there is none. */
    public static boolean getInto(
            long db, long options, long key, int keyBytes, long buffer, int bytes, Out out)
            throws Throwable {
        byte copied = (byte) GET_INTO_BUFFER.invokeExact(
                db,
                options,
                key,
                (long) keyBytes,
                buffer,
                (long) bytes,
                out.address,
                out.address + Out.FOUND,
                out.error());
        out.check();
        return copied != 0 && out.found();
    }

    public static long iterator(long db, long options) throws Throwable {
        return (long) ITERATOR.invokeExact(db, options);
    }

    public static void destroy(long iterator) throws Throwable {
        ITER_DESTROY.invokeExact(iterator);
    }

    public static void first(long iterator) throws Throwable {
        ITER_FIRST.invokeExact(iterator);
    }

    public static void last(long iterator) throws Throwable {
        ITER_LAST.invokeExact(iterator);
    }

    /** Moves to the key, or the next greater one. */
    public static void seek(long iterator, long key, int keyBytes) throws Throwable {
        ITER_SEEK.invokeExact(iterator, key, (long) keyBytes);
    }

    /** Moves to the key, or the next smaller one. */
    public static void seekForPrev(long iterator, long key, int keyBytes) throws Throwable {
        ITER_SEEK_FOR_PREV.invokeExact(iterator, key, (long) keyBytes);
    }

    public static void next(long iterator) throws Throwable {
        ITER_NEXT.invokeExact(iterator);
    }

    public static void prev(long iterator) throws Throwable {
        ITER_PREV.invokeExact(iterator);
    }

    public static boolean valid(long iterator, boolean critical) throws Throwable {
        return (critical
                        ? (byte) CRITICAL_VALID.invokeExact(iterator)
                        : (byte) ITER_VALID.invokeExact(iterator))
                != 0;
    }

    public static long key(long iterator, Out out, boolean critical) throws Throwable {
        return critical
                ? (long) CRITICAL_KEY.invokeExact(iterator, out.address)
                : (long) ITER_KEY.invokeExact(iterator, out.address);
    }

    public static long value(long iterator, Out out, boolean critical) throws Throwable {
        return critical
                ? (long) CRITICAL_VALUE.invokeExact(iterator, out.address)
                : (long) ITER_VALUE.invokeExact(iterator, out.address);
    }
}
