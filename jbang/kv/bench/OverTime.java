package kv.bench;

import java.util.List;

/**
 * How puts went over time, and what they left to be done.
 *
 * @param windowMs milliseconds of a window
 * @param counts of each whole window, puts that came back in it
 * @param longestNs longest time from one batch of puts that came back to the next, in ns
 * @param inserted puts of keys that were not there
 * @param debt what the store did afterwards, until it was quiet and closed
 */
public record OverTime(
        int windowMs, List<Integer> counts, long longestNs, int inserted, Settle debt) {}
