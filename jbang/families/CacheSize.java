package families;

import kv.store.CaseSpec;
import kv.store.MemoryHeadroom;

/**
 * How large a store's own cache is where a case does not say: it holds all data, as memory maps do
 * for stores without one, if there is memory for it.
 */
public final class CacheSize {

    private static final long LEAST_BYTES = 512L << 20;
    // A tree's pages may be half empty, and a cache counts what it keeps beside the data
    private static final int TIMES_DATA = 2;

    private static final String HOLDS_ALL =
            TIMES_DATA + " x data, at least " + (LEAST_BYTES >> 20) + " MiB, at most a quarter of ";

    /** {@link #outsideHeap} in words. */
    public static final String OUTSIDE_HEAP = HOLDS_ALL + "the memory outside the heap";

    /** {@link #onHeap} in words. */
    public static final String ON_HEAP = HOLDS_ALL + "the heap";

    private CacheSize() {}

    /** Bytes of a cache that native code keeps. */
    public static long outsideHeap(CaseSpec spec) {
        return MemoryHeadroom.outsideHeap(wanted(spec));
    }

    /** Bytes of a cache of Java objects. */
    public static long onHeap(CaseSpec spec) {
        return MemoryHeadroom.onHeap(wanted(spec));
    }

    private static long wanted(CaseSpec spec) {
        return Math.max(LEAST_BYTES, TIMES_DATA * spec.flatBytes());
    }
}
