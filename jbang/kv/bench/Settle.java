package kv.bench;

/**
 * What a store did after it was written to, until background work was quiet and the database
 * closed: its settling.
 *
 * @param quietSeconds until background work had died down; null where it had not within the limit
 * @param closeSeconds that closing the database took
 * @param cpuUserNs CPU time of all threads in the program
 * @param cpuSystemNs CPU time of all threads in the kernel
 * @param osReadBytes bytes that the system fetched from the device; null where it does not say
 * @param osWrittenBytes bytes that the system is to write to the device; null likewise
 */
public record Settle(
        Double quietSeconds,
        double closeSeconds,
        long cpuUserNs,
        long cpuSystemNs,
        Long osReadBytes,
        Long osWrittenBytes) {}
