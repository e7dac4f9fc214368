package kv.bench;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import java.util.zip.CRC32;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Native;
import kv.store.Sink;
import kv.store.Workload;
import net.openhft.hashing.LongHashFunction;

/**
 * The one sink there is: it digests or compares what a store reads, as its mode says. Made by
 * {@link Sinks}.
 */
public final class VerifyingSink implements Sink {

    /** What is done with each entry. */
    enum Mode {
        /** {@link Workload.Digest#REACH}. */
        REACH,
        /** {@link Workload.Digest#CRC32}. */
        CRC32,
        /** {@link Workload.Digest#XXH64}. */
        XXH64,
        /**
         * Compare each entry, byte for byte, with the one due at this place of the ascending order.
         * Never timed.
         */
        VERIFY_ASCENDING,
        /** The same for the descending order. */
        VERIFY_DESCENDING,
        /** The same for the order of getting: what reading by key returns. */
        VERIFY_GOT
    }

    private static final LongHashFunction XXH64 = LongHashFunction.xx();

    private final Data data;
    private final Sinks sinks;
    private final Mode mode;
    // Apart, so that the hottest path is small enough to be inlined into every store's loop
    private final boolean reach;
    private final CRC32 crc = new CRC32();
    // Key and value together: one call of CRC32 costs less than two, the copy included
    private final byte[] entry;
    private final ByteBuffer keyWindow = Native.window();
    private final ByteBuffer valueWindow = Native.window();
    private final IntFunction<EntryFlyweight> newest;
    private int count;
    private long sum;

    VerifyingSink(Data data, Mode mode, Sinks sinks) {
        this.data = data;
        this.mode = mode;
        this.sinks = sinks;
        this.reach = mode == Mode.REACH;
        this.entry = new byte[data.spec.entryBytes()];
        this.newest = data.newest();
    }

    @Override
    public boolean wantsKeys() {
        return !reach;
    }

    @Override
    public void accept(byte[] value) {
        if (!reach) {
            throw new WrongData("a value came without its key, which was wanted");
        }
        count++;
        sum += value.length;
    }

    @Override
    public void accept(byte[] key, byte[] value) {
        count++;
        if (reach) {
            sum += value.length;
        } else {
            digest(key, value);
        }
    }

    @Override
    public void accept(ByteBuffer key, ByteBuffer value) {
        accept(
                Native.address(key) + key.position(),
                key.remaining(),
                Native.address(value) + value.position(),
                value.remaining());
    }

    @Override
    public void accept(long key, int keyBytes, long value, int valueBytes) {
        count++;
        if (reach) {
            sum += valueBytes;
        } else {
            digest(key, keyBytes, value, valueBytes);
        }
    }

    private void digest(byte[] key, byte[] value) {
        switch (mode) {
            case CRC32 -> {
                System.arraycopy(key, 0, entry, 0, key.length);
                System.arraycopy(value, 0, entry, key.length, value.length);
                crc.update(entry, 0, key.length + value.length);
            }
            case XXH64 -> sum += XXH64.hashBytes(key) ^ XXH64.hashBytes(value);
            default -> verify(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
        }
    }

    private void digest(long key, int keyBytes, long value, int valueBytes) {
        switch (mode) {
            case CRC32 -> {
                Native.copy(key, entry, 0, keyBytes);
                Native.copy(value, entry, keyBytes, valueBytes);
                crc.update(entry, 0, keyBytes + valueBytes);
            }
            case XXH64 ->
                sum += XXH64.hashMemory(key, keyBytes) ^ XXH64.hashMemory(value, valueBytes);
            default ->
                verify(
                        Native.aim(keyWindow, key, keyBytes),
                        Native.aim(valueWindow, value, valueBytes));
        }
    }

    private void verify(ByteBuffer key, ByteBuffer value) {
        int entries = data.spec.entries();
        int place = count - 1; // this entry is counted already
        if (place >= entries) {
            throw new WrongData("more than the " + entries
                    + " entries written came back; a put of a key that is there has to"
                    + " overwrite it");
        }
        EntryFlyweight due = newest.apply(
                switch (mode) {
                    case VERIFY_ASCENDING -> data.positionOfRank(place);
                    case VERIFY_DESCENDING -> data.positionOfRank(entries - 1 - place);
                    default -> data.positionOfGet(place);
                });
        if (!due.sameKey(key)) {
            throw new WrongData(
                    "a wrong key came back as entry " + place + ", where this was due: " + due);
        }
        if (!due.sameValue(value)) {
            throw new WrongData(
                    "a wrong value came back as entry " + place + ", where this was due: " + due);
        }
    }

    /** A number that depends on every entry consumed, in the way the mode says. */
    public long digest() {
        return mode == Mode.CRC32 ? crc.getValue() : sum;
    }

    /** Forgets all entries consumed. */
    public void reset() {
        crc.reset();
        sum = 0;
        count = 0;
    }

    /**
     * Proves that exactly the entries written were consumed.
     *
     * @throws WrongData when not
     */
    public void check() {
        checkWith(List.of());
    }

    /**
     * Proves that this sink and others together consumed exactly the entries written; the digest
     * must be a sum.
     *
     * @throws WrongData when not
     */
    void checkWith(List<VerifyingSink> others) {
        int consumed = count + others.stream().mapToInt(other -> other.count).sum();
        if (consumed != data.spec.entries()) {
            throw new WrongData(consumed + " entries came back instead of " + data.spec.entries());
        }
        if (mode.compareTo(Mode.XXH64) <= 0
                && digest() + others.stream().mapToLong(VerifyingSink::digest).sum()
                        != sinks.expected(mode)) {
            throw new WrongData(
                    "the " + mode + " checksum of what came back is not that of what was written");
        }
    }
}
