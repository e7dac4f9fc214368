package kv.store;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The memory that there is for a store's caches and buffers: of the machine or, where one limits
 * the process, of its control group.
 */
public final class MemoryHeadroom {

    private static final int SHARE = 4;

    private MemoryHeadroom() {}

    /**
     * Bytes that the heap leaves: for the system's page cache, and for what stores allocate outside
     * the heap.
     */
    private static long outsideHeap() {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return Math.max(0, system.getTotalMemorySize() - Runtime.getRuntime().maxMemory());
    }

    /** Whether so many bytes find room outside the heap. */
    public static boolean holds(long bytes) {
        return bytes <= outsideHeap();
    }

    /**
     * Bytes of a cache outside the heap: as many as are wanted, and no more than a quarter of what
     * there is.
     */
    public static long outsideHeap(long wanted) {
        return Math.min(wanted, outsideHeap() / SHARE);
    }

    /** Bytes of a cache on the heap: as many as are wanted, and no more than a quarter of it. */
    public static long onHeap(long wanted) {
        return Math.min(wanted, Runtime.getRuntime().maxMemory() / SHARE);
    }
}
