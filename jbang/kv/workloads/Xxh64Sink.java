package kv.workloads;

import kv.data.Data;
import net.openhft.hashing.LongHashFunction;

/** Adds up, for each entry, the XXH64 of its key, exclusive-or that of its value. */
public final class Xxh64Sink extends VerifyingSink {

    private static final LongHashFunction XXH64 = LongHashFunction.xx();

    public Xxh64Sink(Data data) {
        super(data);
    }

    @Override
    Xxh64Sink another() {
        return new Xxh64Sink(data);
    }

    @Override
    public void accept(byte[] key, byte[] value) {
        count++;
        sum += XXH64.hashBytes(key) ^ XXH64.hashBytes(value);
    }

    @Override
    public void accept(long key, int keyBytes, long value, int valueBytes) {
        count++;
        sum += XXH64.hashMemory(key, keyBytes) ^ XXH64.hashMemory(value, valueBytes);
    }

    @Override
    public String toString() {
        return "XXH64";
    }
}
