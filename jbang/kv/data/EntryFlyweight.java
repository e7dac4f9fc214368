package kv.data;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import kv.store.Content;
import kv.store.Entry;

/**
 * An entry of a {@link Data} set: {@link #at} moves it to another, and what its other methods
 * return is valid until then. One per thread.
 */
public final class EntryFlyweight implements Entry {

    private static final int SHOWN_BYTES = 16; // of a key or value, in what people read

    private final Records records;
    private final Numbers numbers;
    private final Records ranks;
    private final ByteBuffer[] pieces; // of the records
    private final ByteBuffer tape;
    private final long tapeAddress;
    private final byte[] key;
    private final byte[] value;
    private final boolean aligned; // values begin with a piece of the tape
    private final long generationBytes; // from where the first generation of a value is
    private ByteBuffer keys; // the piece that the key is in
    private int position;
    private int keyOffset;
    private int valueOffset;

    EntryFlyweight(Data data, int generation) {
        records = data.keys;
        numbers = data.numbers;
        pieces = records.pieces();
        keys = pieces[0];
        tape = data.tape.duplicate().order(data.tape.order());
        tapeAddress = Native.address(tape);
        key = new byte[data.spec.keys().bytes];
        value = new byte[data.spec.valueBytes()];
        aligned = data.spec.content() == Content.HALF;
        generationBytes = (long) generation * Data.GENERATION_BYTES;
        ranks = data.numbers.ranks;
    }

    /** Moves to the entry at a position in the order of writing, 0 to entries - 1. */
    public EntryFlyweight at(int position) {
        return at(position, 0);
    }

    /** Moves to the same entry with the value that it has when overwritten so many times since. */
    public EntryFlyweight at(int position, int overwrites) {
        this.position = position;
        keys = pieces[Records.piece(position)];
        keyOffset = records.offset(position);
        valueOffset = (int) (((long) position * value.length
                        + generationBytes
                        + (long) overwrites * Data.GENERATION_BYTES)
                % Data.TAPE_BYTES);
        if (aligned) {
            valueOffset -= valueOffset % Data.PIECE_BYTES;
        }
        return this;
    }

    @Override
    public int keyBytes() {
        return key.length;
    }

    @Override
    public int valueBytes() {
        return value.length;
    }

    @Override
    public byte[] key() {
        keys.get(keyOffset, key);
        return key;
    }

    @Override
    public byte[] value() {
        tape.get(valueOffset, value);
        return value;
    }

    @Override
    public byte[] newKey() {
        byte[] copy = new byte[key.length];
        keys.get(keyOffset, copy);
        return copy;
    }

    @Override
    public byte[] newValue() {
        byte[] copy = new byte[value.length];
        tape.get(valueOffset, copy);
        return copy;
    }

    @Override
    public ByteBuffer keyBuffer() {
        return keys.limit(keyOffset + key.length).position(keyOffset);
    }

    @Override
    public ByteBuffer valueBuffer() {
        return tape.limit(valueOffset + value.length).position(valueOffset);
    }

    @Override
    public long keyAddress() {
        return Native.address(keys) + keyOffset;
    }

    @Override
    public long valueAddress() {
        return tapeAddress + valueOffset;
    }

    @Override
    public int rank() {
        return ranks.get(position);
    }

    /** The number that the key stands for. */
    public int number() {
        return numbers.at(position);
    }

    /** Whether a buffer holds this entry's key. */
    public boolean sameKey(ByteBuffer other) {
        return keyBuffer().mismatch(other) == -1;
    }

    /** Whether a buffer holds this entry's value. */
    public boolean sameValue(ByteBuffer other) {
        return valueBuffer().mismatch(other) == -1;
    }

    /** For people: "key 00 00 00 2a (int 42), value 100 bytes: 1f 8b ...". */
    @Override
    public String toString() {
        boolean ints = key.length == Integer.BYTES;
        String order = ints && keys.order() == ByteOrder.LITTLE_ENDIAN ? ", little-endian" : "";
        return "key %s (%s%d%s), value %,d bytes: %s"
                .formatted(
                        hex(keyBuffer()),
                        ints ? "int " : "string of ",
                        number(),
                        order,
                        value.length,
                        hex(valueBuffer()));
    }

    private static String hex(ByteBuffer buffer) {
        byte[] shown = new byte[Math.min(buffer.remaining(), SHOWN_BYTES)];
        buffer.duplicate().get(shown);
        return HexFormat.ofDelimiter(" ").formatHex(shown)
                + (buffer.remaining() > shown.length ? " ..." : "");
    }
}
