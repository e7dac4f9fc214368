package kv.data;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How often each entry of a {@link Data} set was overwritten since all of them were written, so
 * that whoever reads one knows which values it may have: {@link EntryFlyweight#at(int, int)} makes
 * them.
 *
 * <p>Any thread may ask. Of an entry, one thread overwrites: a value is only known where the order
 * of writing is.
 */
public final class Overwrites {

    private final AtomicIntegerArray times;

    Overwrites(int entries) {
        times = new AtomicIntegerArray(entries);
    }

    /** Times that the entry at a position was overwritten, as far as the store has acknowledged. */
    public int times(int position) {
        return times.get(position);
    }

    /** The store has acknowledged one more. */
    public void acknowledge(int position) {
        times.setRelease(position, times.getPlain(position) + 1);
    }

    /** Of all entries, the largest number of times. */
    public int furthest() {
        int furthest = 0;
        for (int position = 0; position < times.length(); position++) {
            furthest = Math.max(furthest, times.get(position));
        }
        return furthest;
    }

    /** Entries that were overwritten. */
    public int count() {
        int count = 0;
        for (int position = 0; position < times.length(); position++) {
            count += times.get(position) > 0 ? 1 : 0;
        }
        return count;
    }
}
