package kv.bench;

import java.util.List;

/**
 * What some workloads show besides times and costs; null where there is none.
 *
 * @param writesPerSecond writes beside the reads
 * @param command of the program that ran
 * @param bytes that a pass made
 * @param gcMs milliseconds of garbage collection in each pass
 * @param commitNs of each pass, what the last commit or flush took, in ns; of a load in one thread
 * @param closeNs of each pass, what closing the database took, in ns; of a load
 * @param grownBytes by which the database's files grew meanwhile; less than 0 where they shrank
 * @param overTime of puts that go on for a set time
 */
public record Observed(
        Double writesPerSecond,
        String command,
        Long bytes,
        List<Long> gcMs,
        List<Long> commitNs,
        List<Long> closeNs,
        Long grownBytes,
        OverTime overTime) {

    /** Of reads, where one more thread writes. */
    public static Observed beside(double writesPerSecond) {
        return beside(writesPerSecond, null);
    }

    /** The same, and by how much the files grew. */
    public static Observed beside(double writesPerSecond, Long grownBytes) {
        return new Observed(writesPerSecond, null, null, null, null, null, grownBytes, null);
    }

    /** Of puts that go on for a set time. */
    public static Observed over(OverTime time) {
        return new Observed(null, null, null, null, null, null, null, time);
    }

    /** Of loads. */
    public static Observed loads(List<Long> commitNs, List<Long> closeNs) {
        return new Observed(null, null, null, null, commitNs, closeNs, null, null);
    }

    /** Of a program of its own. */
    public static Observed program(Double writesPerSecond, String command, List<Long> closeNs) {
        return new Observed(writesPerSecond, command, null, null, null, closeNs, null, null);
    }

    /** Of what makes bytes. */
    public static Observed made(Long bytes, List<Long> gcMs) {
        return new Observed(null, null, bytes, gcMs, null, null, null, null);
    }
}
