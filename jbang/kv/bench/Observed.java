package kv.bench;

import java.util.List;

/**
 * What some workloads show besides times and costs; null where there is none.
 *
 * @param writesPerSecond writes beside the reads
 * @param command of the program that ran
 * @param bytes that a pass made; of a compaction, those of disk after it, closed
 * @param gcMs milliseconds of garbage collection in each pass
 * @param commitNs of each pass, what the last commit or flush took, in ns; of a load in one thread
 * @param closeNs of each pass, what closing the database took, in ns; of a load
 * @param grownBytes by which the database's files grew meanwhile; less than 0 where they shrank
 * @param overTime of puts that go on for a set time
 * @param rounds of entries that are deleted and written, those that warmed up among them
 */
public record Observed(
        Double writesPerSecond,
        String command,
        Long bytes,
        List<Long> gcMs,
        List<Long> commitNs,
        List<Long> closeNs,
        Long grownBytes,
        OverTime overTime,
        List<Round> rounds) {

    /**
     * One time that entries were deleted and others written.
     *
     * @param deleteNs what the deletes took, and their commit
     * @param writeNs what the writes took, and their commit
     * @param openBytes of disk blocks after it, when background work had died down
     * @param closedBytes of disk blocks when the database was closed then
     */
    public record Round(long deleteNs, long writeNs, long openBytes, long closedBytes) {}

    /** Of reads, where one more thread writes. */
    public static Observed beside(double writesPerSecond) {
        return beside(writesPerSecond, null);
    }

    /** The same, and by how much the files grew. */
    public static Observed beside(double writesPerSecond, Long grownBytes) {
        return new Observed(writesPerSecond, null, null, null, null, null, grownBytes, null, null);
    }

    /** Of puts that go on for a set time. */
    public static Observed over(OverTime time) {
        return new Observed(null, null, null, null, null, null, null, time, null);
    }

    /** Of loads. */
    public static Observed loads(List<Long> commitNs, List<Long> closeNs) {
        return new Observed(null, null, null, null, commitNs, closeNs, null, null, null);
    }

    /** Of a program of its own. */
    public static Observed program(Double writesPerSecond, String command, List<Long> closeNs) {
        return new Observed(writesPerSecond, command, null, null, null, closeNs, null, null, null);
    }

    /** Of what makes bytes. */
    public static Observed made(Long bytes, List<Long> gcMs) {
        return new Observed(null, null, bytes, gcMs, null, null, null, null, null);
    }

    /** Of rounds. */
    public static Observed rounds(List<Round> rounds) {
        return new Observed(null, null, null, null, null, null, null, null, rounds);
    }
}
