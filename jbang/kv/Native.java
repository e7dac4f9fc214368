package kv;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import sun.misc.Unsafe;

/** Off-heap memory by address, for stores that hand out pointers. */
public final class Native {

    private static final Unsafe UNSAFE = unsafe();
    private static final long ADDRESS = offset("address");
    private static final long CAPACITY = offset("capacity");
    private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private Native() {
    }

    /** Address of a direct buffer's first byte (its index 0, not its position). */
    public static long address(ByteBuffer direct) {
        return UNSAFE.getLong(direct, ADDRESS);
    }

    /** The little-endian long at an address. */
    public static long littleLong(long address) {
        long value = UNSAFE.getLong(address);
        return LITTLE ? value : Long.reverseBytes(value);
    }

    /** Copies bytes between two addresses. */
    public static void copy(long from, long to, long bytes) {
        UNSAFE.copyMemory(from, to, bytes);
    }

    /** A direct buffer whose memory {@link #aim} chooses: a window, not an allocation. */
    static ByteBuffer window() {
        return ByteBuffer.allocateDirect(0);
    }

    /** Points a {@link #window()} at {@code bytes} bytes from {@code address}; position 0, limit at the end. */
    static ByteBuffer aim(ByteBuffer window, long address, int bytes) {
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
