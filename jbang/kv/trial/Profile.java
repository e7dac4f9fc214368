package kv.trial;

import com.google.gson.annotations.SerializedName;
import java.util.Arrays;
import kv.bench.Schedule;
import kv.store.UserError;

/** How much is measured. Profiles scale entries, iterations and trials, never the shape. */
public enum Profile {
    /** For tests: proves that everything runs; its times mean nothing. */
    @SerializedName("smoke")
    SMOKE(2_000, 4_000_000L, 0.01, 0, 2, 1, 1, 0.05, 2, 120, "512m"),
    /**
     * Minutes: a first impression of this machine. With so little data a pass takes milliseconds,
     * so that the compiler needs many to settle, and a median many to be steady.
     */
    @SerializedName("quick")
    QUICK(20_000, 5_000_000L, 1.5, 0.4, 100, 0.25, 5, 0.05, 1, 300, "512m"),
    /**
     * Half the sources' million, up to half a GB, so that a round of all sections fits an evening.
     * Many short trials: a further pass in the same trial buys nothing (sec-trial-length).
     */
    @SerializedName("standard")
    STANDARD(500_000, 500_000_000L, 15, 0.3, 3, 0.3, 60, 0.25, 3, 1_800, "2g"),
    /** The sources' own sizes, with as many trials as METHOD asks of a published run. */
    @SerializedName("full")
    FULL(1_000_000, Long.MAX_VALUE, 60, 5, 5, 60, 600, 0.25, 5, 7_200, "4g");

    /** Entries of a test whose size in the sources is one million. */
    public final int entries;
    /** User data of a case, at most, in bytes: caps the entries of tests with large values. */
    public final long dataBytes;
    /**
     * Before it first loads in a way that is timed, and before a case of more than twice as many
     * entries, a JVM loads unmeasured until a load is hardly faster than those before it; no
     * further one is started after this many seconds.
     */
    public final double firstLoadSeconds;
    /**
     * Unmeasured passes of a workload are made for this long, and at least one: the compiler
     * settles by calls and time.
     */
    public final double warmupSeconds;
    /** Measured passes of a workload, at most. */
    public final int iterations;
    /**
     * No further measured pass is started after this many seconds; at least one is made. The trial
     * is what is sampled.
     */
    public final double measureSeconds;
    /** What is watched over time goes on for so many seconds. */
    public final double steadySeconds;
    /** How long the process has to be at rest before what a load left behind counts as done. */
    public final double quietSeconds;
    /** Fresh JVMs per store. */
    public final int trials;
    /** Seconds after which a trial is stopped. */
    public final int limitSeconds;
    /** Java heap, initial and maximal. */
    public final String heap;

    private static final long SOURCE_ENTRIES = 1_000_000;

    Profile(
            int entries,
            long dataBytes,
            double firstLoadSeconds,
            double warmupSeconds,
            int iterations,
            double measureSeconds,
            double steadySeconds,
            double quietSeconds,
            int trials,
            int limitSeconds,
            String heap) {
        this.entries = entries;
        this.dataBytes = dataBytes;
        this.firstLoadSeconds = firstLoadSeconds;
        this.warmupSeconds = warmupSeconds;
        this.iterations = iterations;
        this.measureSeconds = measureSeconds;
        this.steadySeconds = steadySeconds;
        this.quietSeconds = quietSeconds;
        this.trials = trials;
        this.limitSeconds = limitSeconds;
        this.heap = heap;
    }

    /**
     * Entries of a test that has {@code sourceEntries} in the sources, each of {@code entryBytes}
     * (key and value).
     */
    public int entries(int sourceEntries, int entryBytes) {
        return (int) Math.max(
                1,
                Math.min((long) sourceEntries * entries / SOURCE_ENTRIES, dataBytes / entryBytes));
    }

    /** Bytes of the heap. */
    public long heapBytes() {
        return Plan.bytes(heap);
    }

    /** Warm-up and passes of a workload. */
    public Schedule schedule() {
        return new Schedule(warmupSeconds, iterations, measureSeconds, steadySeconds);
    }

    /**
     * The profile of that name.
     *
     * @throws UserError when there is none, naming those that exist
     */
    public static Profile named(String name) {
        return Arrays.stream(values())
                .filter(p -> p.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new UserError("There is no profile '" + name + "'; choose from "
                        + Arrays.toString(values())));
    }

    @Override
    public String toString() {
        return name().toLowerCase();
    }
}
