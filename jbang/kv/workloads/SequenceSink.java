package kv.workloads;

import java.util.List;
import kv.data.Data;
import net.openhft.hashing.LongHashFunction;

/**
 * Digests the XXH64 of each key, exclusive-or that of its value, and the order in which entries
 * come: a polynomial of these numbers.
 */
public final class SequenceSink extends VerifyingSink {

    private static final LongHashFunction XXH64 = LongHashFunction.xx();
    private static final long FACTOR = 0x9E3779B97F4A7C15L; // odd, and its bits are spread

    public SequenceSink(Data data) {
        super(data);
    }

    @Override
    SequenceSink another() {
        return new SequenceSink(data);
    }

    @Override
    public void accept(byte[] key, byte[] value) {
        count++;
        sum = sum * FACTOR + (XXH64.hashBytes(key) ^ XXH64.hashBytes(value));
    }

    @Override
    public void accept(long key, int keyBytes, long value, int valueBytes) {
        count++;
        sum = sum * FACTOR
                + (XXH64.hashMemory(key, keyBytes) ^ XXH64.hashMemory(value, valueBytes));
    }

    /** Proves that this sink consumed the same entries as another, in the same order. */
    void check(SequenceSink due) {
        check(due.count, due.digest(), List.of());
    }

    @Override
    public String toString() {
        return "XXH64 sequence";
    }
}
