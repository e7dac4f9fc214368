package kv.bench;

/**
 * How long a workload is warmed up and measured.
 *
 * @param warmupSeconds unmeasured passes are made for this long, and at least one
 * @param iterations measured passes, at most
 * @param measureSeconds no further measured pass is started after this many seconds; at least one
 *     is made
 */
public record Schedule(double warmupSeconds, int iterations, double measureSeconds) {}
