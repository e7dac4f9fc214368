package kv.workloads;

import java.util.Arrays;
import java.util.stream.Stream;
import kv.bench.OperationTimes;
import org.HdrHistogram.Histogram;

/**
 * Times single operations into a histogram for each thread, in ns: one after the other, or each
 * from the moment at which it is due.
 */
final class OperationTimer {

    // An hour; what takes longer counts as that
    private static final long HIGHEST_NS = 3_600_000_000_000L;

    private final Histogram[] times;
    private final double intervalNs;

    /** Of operations that each begin when the thread's last has ended: closed loops. */
    static OperationTimer closed(int threads) {
        return new OperationTimer(threads, 0);
    }

    /**
     * Of operations of one thread that are due at fixed intervals: an open loop. One that is late
     * because others were slow counts its waiting, too, as a client's would (coordinated omission).
     */
    static OperationTimer open(double intervalNs) {
        return new OperationTimer(1, intervalNs);
    }

    private OperationTimer(int threads, double intervalNs) {
        this.times = Stream.generate(() -> new Histogram(HIGHEST_NS, OperationTimes.DIGITS))
                .limit(threads)
                .toArray(Histogram[]::new);
        this.intervalNs = intervalNs;
    }

    /** One operation: the put or the get whose turn it is. */
    interface Operation {
        void on(int turn) throws Exception;
    }

    /** Of the same operations, each begun when the last has ended; what it records is nobody's. */
    OperationTimer asFastAsTheyGo() {
        return closed(times.length);
    }

    /** Runs an operation in each of a thread's turns. */
    void run(Share share, Operation operation) throws Exception {
        if (intervalNs == 0) {
            for (int turn = share.from(); turn < share.to() && !share.isStopped(); turn++) {
                time(share.thread(), turn, operation);
            }
            return;
        }
        long first = System.nanoTime();
        for (int turn = share.from(); turn < share.to() && !share.isStopped(); turn++) {
            long due = first + (long) ((turn - share.from()) * intervalNs);
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            operation.on(turn);
            record(share.thread(), System.nanoTime() - due);
        }
    }

    /** Runs and times one operation of a thread. */
    void time(int thread, int turn, Operation operation) throws Exception {
        long start = System.nanoTime();
        operation.on(turn);
        record(thread, System.nanoTime() - start);
    }

    private void record(int thread, long ns) {
        times[thread].recordValue(Math.min(ns, HIGHEST_NS));
    }

    /** Forgets what is recorded: it was warming up. */
    void reset() {
        Arrays.stream(times).forEach(Histogram::reset);
    }

    /** What all threads recorded, as one. */
    OperationTimes recorded() {
        Histogram all = new Histogram(HIGHEST_NS, OperationTimes.DIGITS);
        Arrays.stream(times).forEach(all::add);
        return new OperationTimes(all, intervalNs == 0 ? null : 1e9 / intervalNs);
    }
}
