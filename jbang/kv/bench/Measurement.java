package kv.bench;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What the passes of one workload took, each checked after its clock had stopped.
 *
 * @param warmupNs unmeasured passes, in ns; of a load, passes that wrote a part of the entries
 * @param passNs measured passes, in ns
 * @param entries that a pass handles
 * @param bytes keys and values that a pass handles
 * @param cost what the measured passes cost besides
 * @param observed null where there is nothing besides
 * @param operations null where single operations were not timed
 */
public record Measurement(
        String workload,
        List<Long> warmupNs,
        List<Long> passNs,
        long entries,
        long bytes,
        Cost cost,
        Observed observed,
        OperationTimes operations) {

    /**
     * The middle of the values; of two middle ones, their mean. Not a number when there are none.
     */
    public static double median(List<? extends Number> values) {
        double[] sorted =
                values.stream().mapToDouble(Number::doubleValue).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }

    /** Nanoseconds an entry in the median pass. */
    public double nsPerEntry() {
        return median(passNs) / entries;
    }

    /**
     * For people: "readKey: 231.4 ns/entry, the median of 3 passes over 50,000 entries: 11.6, 11.5,
     * 12.0 ms".
     */
    @Override
    public String toString() {
        String passes = passNs.stream()
                .map(ns -> "%,.1f".formatted(ns / 1e6))
                .collect(Collectors.joining(", "));
        return "%s: %,.1f ns/entry, the median of %d pass%s over %,d entries: %s ms"
                .formatted(
                        workload,
                        nsPerEntry(),
                        passNs.size(),
                        passNs.size() == 1 ? "" : "es",
                        entries,
                        passes);
    }
}
