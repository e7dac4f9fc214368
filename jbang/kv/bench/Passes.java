package kv.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kv.cli.Format;
import kv.store.Shape;
import kv.store.UserError;
import kv.store.Workload;
import kv.trial.Bench;
import kv.trial.Probe;
import kv.trial.Profile;
import kv.trial.Trial;

/** Times the passes of a workload: first some that let the compiler settle, then those that count, and what these cost. */
public final class Passes {

    private static final double SHARE_OF_CLOSED_LOOP = 0.5;  // at which operations are due in an open one

    private final Shape shape;
    private final Profile profile;
    private final Path directory;
    private final Map<Boolean, Double> serviceNs = new HashMap<>();  // of a put (true) or a get in the closed loop, its clock included

    /** @param directory the database's: its open files are counted */
    public Passes(Shape shape, Profile profile, Path directory) {
        this.shape = shape;
        this.profile = profile;
        this.directory = directory;
    }

    /** What a pass does around and inside the clock. */
    public interface Pass {
        void before() throws Exception;

        /**
         * Whether {@link #before} works so much that costs have to be read between it and the timed part. Where it does
         * not they are read before the first and after the last pass only: reading them slows the next pass by 2 ms.
         */
        default boolean prepares() {
            return false;
        }

        void timed() throws Exception;

        /** What a pass does while the compiler settles; a part of the work where all of it would take long. */
        default void warmUp() throws Exception {
            timed();
        }

        default void after() throws Exception {
        }

        /** Called once, when the passes that follow are measured. */
        default void warmedUp() {
        }

        /** Entries that a pass handles; 0: every entry once. */
        default long entries() {
            return 0;
        }

        /** What times each operation by itself; null where a pass is timed as a whole. */
        default Singles singles() {
            return null;
        }

        /** What there is to tell besides times and costs. */
        default Trial.Observed observed() {
            return null;
        }
    }

    /** What times a workload's operations by themselves; null for one whose passes are timed as a whole. @throws UserError before its closed loop */
    public Singles singles(Workload workload) {
        if (workload.pace == null) {
            return null;
        }
        if (workload.pace == Workload.Pace.CLOSED) {
            return Singles.closed(1);
        }
        if (!serviceNs.containsKey(workload.loads())) {
            throw new UserError("Measure " + (workload.loads() ? Workload.PUT_SERVICE : Workload.GET_SERVICE) + " before " + workload + ", whose rate follows from it");
        }
        return Singles.open(serviceNs.get(workload.loads()) / SHARE_OF_CLOSED_LOOP);
    }

    /**
     * Makes passes until warm and measures those that follow.
     *
     * @param iterations measured passes, at most; 0: one pass, whole and unmeasured
     */
    public Trial.Result measure(Workload workload, int iterations, Pass pass) throws Exception {
        List<Long> warmupNs = new ArrayList<>();
        List<Long> iterationNs = new ArrayList<>();
        long warmupEnd = System.nanoTime() + (long) (iterations == 0 ? 0 : profile.warmupSeconds * 1e9);
        do {
            warmupNs.add(time(pass, iterations == 0));
        } while (System.nanoTime() < warmupEnd);
        pass.warmedUp();
        Singles singles = pass.singles();
        if (singles != null) {
            singles.reset();
        }
        Probe.resetPeakRss();
        Probe.Cost cost = Probe.Cost.NONE;
        Probe.Cost mark = Probe.cost();
        long measureEnd = System.nanoTime() + (long) (profile.measureSeconds * 1e9);
        while (iterationNs.size() < iterations && (iterationNs.isEmpty() || System.nanoTime() < measureEnd)) {
            if (Thread.interrupted()) {
                throw new Bench.Interrupted();
            }
            pass.before();
            if (pass.prepares()) {
                mark = Probe.cost();
            }
            long start = System.nanoTime();
            pass.timed();
            long end = System.nanoTime();
            if (pass.prepares()) {
                cost = cost.plus(mark, Probe.cost());
            }
            iterationNs.add(end - start);
            pass.after();
        }
        if (!pass.prepares()) {
            cost = cost.plus(mark, Probe.cost());
        }
        if (workload.pace == Workload.Pace.CLOSED) {
            serviceNs.put(workload.loads(), Format.median(iterationNs) / shape.entries());
        }
        long entries = pass.entries() == 0 ? shape.entries() : pass.entries();
        return new Trial.Result(workload, Trial.Status.OK, null, warmupNs, iterationNs, entries,
                entries * shape.entryBytes(), cost.cpuUserNs(), cost.cpuSystemNs(), cost.osReadBytes(), cost.osWrittenBytes(),
                Probe.peakRssBytes(), cost.gcMs(), cost.gcCount(), Probe.openFiles(), Probe.filesHeld(directory), Probe.threads(), pass.observed(),
                singles == null ? null : singles.recorded());
    }

    private static long time(Pass pass, boolean whole) throws Exception {
        pass.before();
        long start = System.nanoTime();
        if (whole) {
            pass.timed();
        } else {
            pass.warmUp();
        }
        long end = System.nanoTime();
        pass.after();
        return end - start;
    }
}
