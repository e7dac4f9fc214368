package kv.store;

import java.nio.ByteBuffer;

/**
 * An entry as a store is given it, in whichever form its API takes: arrays, direct buffers or
 * addresses.
 *
 * <p>It is a flyweight, which moves on to the next entry: it and all that its methods return are
 * valid only until the call that it was given to returns. A store that keeps a key or a value takes
 * {@link #newKey()} or {@link #newValue()}.
 *
 * <p>A writer, and a reader, asks for keys in one form and for values in one: as arrays or as
 * buffers, not now this and now that.
 *
 * <p>One class implements this in the whole process, so that calls in a store's loop have one
 * target and are inlined.
 */
public interface Entry {

    /** Bytes of the key. */
    int keyBytes();

    /** Bytes of the value. */
    int valueBytes();

    /** The key in an array that the next call overwrites: for stores that copy it. */
    byte[] key();

    /** The value in an array that the next call overwrites: for stores that copy it. */
    byte[] value();

    /** The key in an array of its own: for stores that keep it. */
    byte[] newKey();

    /** The value in an array of its own: for stores that keep it. */
    byte[] newValue();

    /** The key between position and limit of a direct buffer, uncopied. Only read it. */
    ByteBuffer keyBuffer();

    /** The value between position and limit of a direct buffer, uncopied. Only read it. */
    ByteBuffer valueBuffer();

    /** Address of the key's bytes. */
    long keyAddress();

    /** Address of the value's bytes. */
    long valueAddress();

    /**
     * The key's place among all keys in ascending order, 0 to entries - 1: only for the controls,
     * whose arrays it indexes.
     */
    int rank();
}
