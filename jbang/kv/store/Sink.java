package kv.store;

import java.nio.ByteBuffer;

/**
 * Takes the entries that a store reads, in whichever form the store has them, and proves afterwards
 * that they were the right ones. What it is given it has done with when the call returns.
 *
 * <p>One class implements this in the whole process, so that the call in a store's loop has one
 * target and is inlined: with a class per workload the call would be megamorphic by the third
 * workload, and the harness would dominate fast scans.
 */
public interface Sink {

    /**
     * Whether keys matter. Where they do not, as in the source's {@code readSeq} and
     * {@code readRev}, a store to which a key costs work beside that for its value gives no key:
     * {@link #accept(byte[])}.
     */
    boolean wantsKeys();

    /** Consumes an entry whose key does not matter. */
    void accept(byte[] value);

    /** Consumes an entry held in arrays. */
    void accept(byte[] key, byte[] value);

    /** Consumes an entry held between position and limit of direct buffers. */
    void accept(ByteBuffer key, ByteBuffer value);

    /** Consumes an entry held at addresses. */
    void accept(long key, int keyBytes, long value, int valueBytes);
}
