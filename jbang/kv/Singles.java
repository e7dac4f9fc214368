package kv;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/** Times single operations into a histogram, in ns: one after the other, or each from the moment at which it is due. */
final class Singles {

    private static final long HIGHEST_NS = 3_600_000_000_000L;  // an hour; what takes longer counts as that

    private final Histogram times = new Histogram(HIGHEST_NS, Trial.Singles.DIGITS);
    private final double intervalNs;

    /**
     * @param intervalNs the time from one due operation to the next; 0: each begins when the last has ended. An operation
     *                   that is late because others were slow counts its waiting, too, as a client's would (coordinated omission)
     */
    Singles(double intervalNs) {
        this.intervalNs = intervalNs;
    }

    /** One operation, on the entry at a position in the order of writing. */
    interface Operation {
        void on(int position) throws Exception;
    }

    /** Runs an operation on the first entries. */
    void run(int entries, Operation operation) throws Exception {
        if (intervalNs == 0) {
            for (int position = 0; position < entries; position++) {
                time(position, operation);
            }
            return;
        }
        long first = System.nanoTime();
        for (int position = 0; position < entries; position++) {
            long due = first + (long) (position * intervalNs);
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            operation.on(position);
            record(System.nanoTime() - due);
        }
    }

    /** Runs and times one operation, on the entry at a position. */
    void time(int position, Operation operation) throws Exception {
        long start = System.nanoTime();
        operation.on(position);
        record(System.nanoTime() - start);
    }

    private void record(long ns) {
        times.recordValue(Math.min(ns, HIGHEST_NS));
    }

    /** Forgets what is recorded: it was warming up. */
    void reset() {
        times.reset();
    }

    /** What is recorded. */
    Trial.Singles recorded() {
        return Trial.Singles.of(times, intervalNs == 0 ? null : 1e9 / intervalNs);
    }

    /** What several threads recorded in closed loops, as one. */
    static Trial.Singles together(Singles[] threads) {
        Histogram all = new Histogram(HIGHEST_NS, Trial.Singles.DIGITS);
        Arrays.stream(threads).forEach(each -> all.add(each.times));
        return Trial.Singles.of(all, null);
    }
}
