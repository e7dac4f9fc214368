package kv.data;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Objects;
import sun.misc.Unsafe;

/** Off-heap memory by address, for stores that hand out pointers. */
public final class Native {

    private static final Unsafe UNSAFE = unsafe();
    private static final long ADDRESS = offset("address");
    private static final long CAPACITY = offset("capacity");

    private Native() {}

    /** Address of a direct buffer's first byte (its index 0, not its position). */
    public static long address(ByteBuffer direct) {
        return UNSAFE.getLong(direct, ADDRESS);
    }

    /** The byte at an address. */
    public static byte byteAt(long address) {
        return UNSAFE.getByte(address);
    }

    /** The eight bytes at an address. */
    public static long longAt(long address) {
        return UNSAFE.getLong(address);
    }

    /** Copies bytes between two addresses. */
    public static void copy(long from, long to, long bytes) {
        UNSAFE.copyMemory(from, to, bytes);
    }

    /** Copies bytes from an address into an array. */
    public static void copy(long from, byte[] to, int offset, int bytes) {
        Objects.checkFromIndexSize(offset, bytes, to.length);
        UNSAFE.copyMemory(null, from, to, Unsafe.ARRAY_BYTE_BASE_OFFSET + offset, bytes);
    }

    /** A direct buffer whose memory {@link #aim} chooses: a window, not an allocation. */
    public static ByteBuffer window() {
        return ByteBuffer.allocateDirect(0);
    }

    /**
     * Points a {@link #window()} at {@code bytes} bytes from {@code address}; position 0, limit at
     * the end.
     */
    public static ByteBuffer aim(ByteBuffer window, long address, int bytes) {
        UNSAFE.putLong(window, ADDRESS, address);
        UNSAFE.putInt(window, CAPACITY, bytes);
        return window.clear();
    }

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static long offset(String field) {
        try {
            return UNSAFE.objectFieldOffset(Buffer.class.getDeclaredField(field));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
