package kv.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kv.store.CaseSpec;
import kv.store.Setting;
import kv.store.UserError;
import kv.store.Workload;

/**
 * Times the passes of a workload: first some that let the compiler settle, then those that count,
 * and what these cost.
 */
final class Passes {

    // At which operations are due in an open one that has no rate of its own
    private static final double SHARE_OF_CLOSED_LOOP = 0.5;

    private final CaseSpec spec;
    private final Schedule schedule;
    private final CostMeter costs;
    // Of a put (true) or a get in the closed loop, its clock included
    private final Map<Boolean, Double> serviceNs = new HashMap<>();

    Passes(CaseSpec spec, Schedule schedule, CostMeter costs) {
        this.spec = spec;
        this.schedule = schedule;
        this.costs = costs;
    }

    /** What a pass does around and inside the clock. */
    interface Pass {
        default void before() throws Exception {}

        /**
         * Whether {@link #before} works so much that costs have to be read between it and the timed
         * part. Where it does not they are read before the first and after the last pass only:
         * reading them slows the next pass by 2 ms.
         */
        default boolean prepares() {
            return false;
        }

        void timed() throws Exception;

        /**
         * What a pass does while the compiler settles; a part of the work where all of it would
         * take long.
         */
        default void warmUp() throws Exception {
            timed();
        }

        default void after() throws Exception {}

        /** Called once, when the passes that follow are measured. */
        default void warmedUp() {}

        /** Entries that a pass handles; 0: every entry once. */
        default long entries() {
            return 0;
        }

        /** What times each operation by itself; null where a pass is timed as a whole. */
        default OperationTimer timer() {
            return null;
        }

        /** What was observed besides times and costs. */
        default Observed observed() {
            return null;
        }
    }

    /**
     * What times a workload's operations by themselves; null for one whose passes are timed as a
     * whole.
     *
     * @throws UserError for an open loop without a rate before the closed one
     */
    OperationTimer timer(Workload workload) {
        if (workload.pace == null) {
            return null;
        }
        if (workload.pace == Workload.Pace.CLOSED) {
            return OperationTimer.closed(1);
        }
        if (spec.settings().containsKey(Setting.RATE)) {
            return OperationTimer.open(1e9 / spec.count(Setting.RATE, 1));
        }
        if (!serviceNs.containsKey(workload.loads())) {
            throw new UserError(
                    "Measure " + (workload.loads() ? Workload.PUT_SERVICE : Workload.GET_SERVICE)
                            + " before " + workload + ", whose rate follows from it, or give the"
                            + " case a rate");
        }
        return OperationTimer.open(serviceNs.get(workload.loads()) / SHARE_OF_CLOSED_LOOP);
    }

    /** Makes one pass, whole and unmeasured. */
    static void once(Pass pass) throws Exception {
        pass.before();
        pass.timed();
        pass.after();
    }

    /** Makes passes until warm and measures those that follow. */
    Measurement measure(Workload workload, Pass pass) throws Exception {
        List<Long> warmupNs = new ArrayList<>();
        List<Long> passNs = new ArrayList<>();
        long warmupEnd = System.nanoTime() + (long) (schedule.warmupSeconds() * 1e9);
        do {
            warmupNs.add(warmUp(pass));
        } while (System.nanoTime() < warmupEnd);
        pass.warmedUp();
        OperationTimer timer = pass.timer();
        if (timer != null) {
            timer.reset();
        }
        costs.begin();
        long measureEnd = System.nanoTime() + (long) (schedule.measureSeconds() * 1e9);
        while (passNs.size() < schedule.iterations()
                && (passNs.isEmpty() || System.nanoTime() < measureEnd)) {
            if (Thread.interrupted()) {
                throw new Interrupted();
            }
            pass.before();
            if (pass.prepares()) {
                costs.resume();
            }
            long start = System.nanoTime();
            pass.timed();
            long end = System.nanoTime();
            if (pass.prepares()) {
                costs.pause();
            }
            passNs.add(end - start);
            pass.after();
        }
        if (!pass.prepares()) {
            costs.pause();
        }
        if (workload.pace == Workload.Pace.CLOSED) {
            serviceNs.put(workload.loads(), Measurement.median(passNs) / spec.entries());
        }
        long entries = pass.entries() == 0 ? spec.entries() : pass.entries();
        return new Measurement(
                workload,
                warmupNs,
                passNs,
                entries,
                entries * spec.entryBytes(),
                costs.total(),
                pass.observed(),
                timer == null ? null : timer.recorded());
    }

    private static long warmUp(Pass pass) throws Exception {
        pass.before();
        long start = System.nanoTime();
        pass.warmUp();
        long end = System.nanoTime();
        pass.after();
        return end - start;
    }
}
