package kv.data;

import java.nio.ByteBuffer;
import kv.store.Content;

/**
 * One entry of a {@link Data} set, in whichever form a store's API takes it: bytes, direct buffers or addresses.
 * A flyweight: {@link #at} moves it, and what its other methods return is valid until then. One per thread.
 */
public final class Entry {

    private final Records records;
    private final ByteBuffer[] pieces;  // of the records
    private final ByteBuffer tape;
    private final long tapeAddress;
    private final byte[] key;
    private final byte[] value;
    private final boolean aligned;  // values begin with a piece of the tape
    private ByteBuffer keys;  // the piece that the key is in
    private int keyOffset;
    private int valueOffset;

    Entry(Data data) {
        records = data.keys;
        pieces = records.pieces();
        keys = pieces[0];
        tape = data.tape.duplicate().order(data.tape.order());
        tapeAddress = Native.address(tape);
        key = new byte[data.shape.keys().bytes];
        value = new byte[data.shape.valueBytes()];
        aligned = data.shape.content() == Content.HALF;
    }

    /** Moves to the entry at a position in the order of writing, 0 to entries - 1. */
    public Entry at(int position) {
        keys = pieces[Records.piece(position)];
        keyOffset = records.offset(position);
        valueOffset = (int) ((long) position * value.length % Data.TAPE_BYTES);
        if (aligned) {
            valueOffset -= valueOffset % Data.PIECE_BYTES;
        }
        return this;
    }

    /** Bytes of the key. */
    public int keyBytes() {
        return key.length;
    }

    /** Bytes of the value. */
    public int valueBytes() {
        return value.length;
    }

    /** The key in an array that the next call overwrites: for stores that copy it. */
    public byte[] key() {
        keys.get(keyOffset, key);
        return key;
    }

    /** The value in an array that the next call overwrites: for stores that copy it. */
    public byte[] value() {
        tape.get(valueOffset, value);
        return value;
    }

    /** The key in an array of its own: for stores that keep it. */
    public byte[] newKey() {
        byte[] copy = new byte[key.length];
        keys.get(keyOffset, copy);
        return copy;
    }

    /** The value in an array of its own: for stores that keep it. */
    public byte[] newValue() {
        byte[] copy = new byte[value.length];
        tape.get(valueOffset, copy);
        return copy;
    }

    /** The key between position and limit of a direct buffer, uncopied. Only read it. */
    public ByteBuffer keyBuffer() {
        return keys.limit(keyOffset + key.length).position(keyOffset);
    }

    /** The value between position and limit of a direct buffer, uncopied. Only read it. */
    public ByteBuffer valueBuffer() {
        return tape.limit(valueOffset + value.length).position(valueOffset);
    }

    /** Address of the key's bytes. */
    public long keyAddress() {
        return Native.address(keys) + keyOffset;
    }

    /** Address of the value's bytes. */
    public long valueAddress() {
        return tapeAddress + valueOffset;
    }

    /** The number that the key stands for, 0 to entries - 1: only for the controls, whose arrays it indexes. */
    public int number() {
        if (key.length == Integer.BYTES) {
            return keys.getInt(keyOffset);
        }
        int number = 0;
        for (int i = keyOffset; i < keyOffset + key.length; i++) {
            number = number * 10 + keys.get(i) - '0';
        }
        return number;
    }

    public boolean sameKey(ByteBuffer other) {
        return keyBuffer().mismatch(other) == -1;
    }

    public boolean sameValue(ByteBuffer other) {
        return valueBuffer().mismatch(other) == -1;
    }
}
