package kv.bench;

import java.util.List;

/**
 * What some workloads show besides times and costs; null where there is none.
 *
 * @param writesPerSecond writes beside the reads
 * @param command of the program that ran
 * @param bytes that a pass made
 * @param gcMs milliseconds of garbage collection in each pass
 */
public record Observed(Double writesPerSecond, String command, Long bytes, List<Long> gcMs) {

    public static Observed reads(Double writesPerSecond, String command) {
        return new Observed(writesPerSecond, command, null, null);
    }
}
