package kv.crash;

/**
 * What commits took: each the time from the first put of a transaction until its commit has
 * returned.
 *
 * @param commits how many were timed, one after another by each thread
 * @param seconds from the first that is noted to the end of the last
 * @param p50Ns half of them took less
 * @param p99Ns all but one in a hundred
 * @param p999Ns all but one in a thousand
 * @param maxNs the longest
 * @param writtenBytes that the process sent to the device meanwhile; null where the system does not
 *     say
 */
public record Price(
        long commits,
        double seconds,
        long p50Ns,
        long p99Ns,
        long p999Ns,
        long maxNs,
        Long writtenBytes) {}
