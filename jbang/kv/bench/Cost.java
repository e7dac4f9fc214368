package kv.bench;

/**
 * What the measured passes have cost the machine, beside time; null where it is not known.
 *
 * @param cpuUserNs CPU time of all threads in the program
 * @param cpuSystemNs CPU time of all threads in the kernel
 * @param osReadBytes bytes that the system fetched from the device
 * @param osWrittenBytes bytes that the system is to write to the device
 * @param peakRssBytes highest resident memory of the process meanwhile
 * @param gcMs milliseconds of garbage collection
 * @param gcCount garbage collections
 * @param openFiles files that the process has open at the end
 * @param storeFiles of these, or mapped, files of the database
 * @param threads threads of the process at the end
 */
public record Cost(
        Long cpuUserNs,
        Long cpuSystemNs,
        Long osReadBytes,
        Long osWrittenBytes,
        Long peakRssBytes,
        Long gcMs,
        Long gcCount,
        Integer openFiles,
        Integer storeFiles,
        Integer threads) {

    /** Of which only garbage collection is known. */
    public static Cost ofCollection(Long gcMs) {
        return new Cost(null, null, null, null, null, gcMs, null, null, null, null);
    }

    /** Of a process of its own, which prints what the system counted of it. */
    public static Cost ofProcess(
            Long cpuUserNs,
            Long cpuSystemNs,
            Long osReadBytes,
            Long osWrittenBytes,
            Long peakRssBytes) {
        return new Cost(
                cpuUserNs,
                cpuSystemNs,
                osReadBytes,
                osWrittenBytes,
                peakRssBytes,
                null,
                null,
                null,
                null,
                null);
    }
}
