package kv.workloads;

import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import net.openhft.hashing.LongHashFunction;

/** Notes of each entry the XXH64 of its key, exclusive-or that of its value, in order. */
final class NotingSink extends VerifyingSink {

    private static final LongHashFunction XXH64 = LongHashFunction.xx();

    private final long[] notes;

    /** @param room for so many notes */
    NotingSink(Data data, int room) {
        super(data);
        notes = new long[room];
    }

    @Override
    NotingSink another() {
        return new NotingSink(data, notes.length);
    }

    /** How many entries came since it was reset. */
    int noted() {
        return count;
    }

    /** What was noted of one of them, from 0. */
    long note(int which) {
        return notes[which];
    }

    /** What it would note of an entry. */
    static long of(EntryFlyweight entry) {
        return XXH64.hashMemory(entry.keyAddress(), entry.keyBytes())
                ^ XXH64.hashMemory(entry.valueAddress(), entry.valueBytes());
    }

    @Override
    public void accept(byte[] key, byte[] value) {
        note(XXH64.hashBytes(key) ^ XXH64.hashBytes(value));
    }

    @Override
    public void accept(long key, int keyBytes, long value, int valueBytes) {
        note(XXH64.hashMemory(key, keyBytes) ^ XXH64.hashMemory(value, valueBytes));
    }

    private void note(long hash) {
        if (count == notes.length) {
            throw new WrongData("more entries came than were asked for");
        }
        notes[count++] = hash;
    }
}
