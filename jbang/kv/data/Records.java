package kv.data;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import kv.store.UserError;

/**
 * Records of one length, off the heap, numbered from 0: as many as memory holds, in pieces, as one
 * buffer ends at 2 GiB.
 */
final class Records {

    /**
     * Records of a piece, as a power of two: of one piece are all cases of up to a million entries.
     */
    private static final int PIECE = 20;

    /** Bytes of a record. */
    final int bytes;

    private final ByteBuffer[] pieces;

    /**
     * Makes them, all zero.
     *
     * @throws UserError when the memory that Java may use off its heap is too little
     */
    Records(int records, int bytes, ByteOrder order) {
        this.bytes = bytes;
        pieces = new ByteBuffer[piece(records - 1) + 1];
        try {
            for (int piece = 0; piece < pieces.length; piece++) {
                pieces[piece] = ByteBuffer.allocateDirect(
                                Math.min(1 << PIECE, records - (piece << PIECE)) * bytes)
                        .order(order);
            }
        } catch (OutOfMemoryError full) {
            throw new UserError(
                    ("%,d entries do not fit the memory that Java may use off its heap; "
                                    + "use fewer, or raise -XX:MaxDirectMemorySize")
                            .formatted(records));
        }
    }

    /** Integers from 0, each once: in that order, until they are moved. */
    static Records numbers(int count) {
        Records numbers = new Records(count, Integer.BYTES, ByteOrder.nativeOrder());
        for (int number = 0; number < count; number++) {
            numbers.set(number, number);
        }
        return numbers;
    }

    /** The piece that a record is in, among {@link #pieces()}. */
    static int piece(int record) {
        return record >> PIECE;
    }

    /** Where a record begins in its piece, in bytes. */
    int offset(int record) {
        return (record & (1 << PIECE) - 1) * bytes;
    }

    /** The integer at the beginning of a record. */
    int get(int record) {
        return pieces[piece(record)].getInt(offset(record));
    }

    /** Sets the integer at the beginning of a record. */
    void set(int record, int number) {
        pieces[piece(record)].putInt(offset(record), number);
    }

    /**
     * Sets a record.
     *
     * @param record that many bytes as a record has
     */
    void set(int record, byte[] value) {
        pieces[piece(record)].put(offset(record), value);
    }

    /**
     * All records, in order: buffers of the caller's own onto the same memory, each from its first
     * byte to its last.
     */
    ByteBuffer[] pieces() {
        return Arrays.stream(pieces)
                .map(piece -> piece.duplicate().order(piece.order()))
                .toArray(ByteBuffer[]::new);
    }
}
