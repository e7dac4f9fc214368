package kv.bench;

/**
 * How long a workload is warmed up and measured.
 *
 * @param warmupSeconds unmeasured passes are made for this long, and at least one
 * @param iterations measured passes, at most
 * @param measureSeconds no further measured pass is started after this many seconds; at least one
 *     is made
 * @param steadySeconds what is watched over time goes on for so long
 */
public record Schedule(
        double warmupSeconds, int iterations, double measureSeconds, double steadySeconds) {

    /** Of passes that each end by themselves: nothing is watched over time. */
    public Schedule(double warmupSeconds, int iterations, double measureSeconds) {
        this(warmupSeconds, iterations, measureSeconds, 0);
    }
}
