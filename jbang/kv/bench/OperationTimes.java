package kv.bench;

import org.HdrHistogram.Histogram;

/**
 * Times of single operations, of all measured passes and threads.
 *
 * @param ns nanoseconds of each
 * @param perSecond the rate at which they were due; null in a closed loop
 */
public record OperationTimes(Histogram ns, Double perSecond) {

    /** Significant digits of the histogram: a value is kept to within 1%. */
    public static final int DIGITS = 2;
}
