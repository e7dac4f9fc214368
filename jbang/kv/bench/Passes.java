package kv.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.Setting;
import kv.store.UserError;

/**
 * Times the passes of a workload: first some that let the compiler settle, then those that count,
 * and what these cost.
 */
public final class Passes implements AutoCloseable {

    // At which operations are due in an open one that has no rate of its own
    private static final double SHARE_OF_CLOSED_LOOP = 0.5;
    private static final double NO_LIMIT_SECONDS = 1e6;

    public final Database database;
    public final Data data;
    public final CaseSpec spec;
    public final Schedule schedule;
    public final Team team;
    public final Upkeep upkeep;
    private final CostMeter costs;
    private long unclockedNs; // of the pass under way
    // Of an operation in a workload's median pass, its clock included
    private final Map<String, Double> operationNs = new HashMap<>();

    /**
     * @param costs reads what passes cost, around the clock
     * @param upkeep of the database, between passes
     */
    public Passes(Database database, Data data, Schedule schedule, CostMeter costs, Upkeep upkeep) {
        this.database = database;
        this.data = data;
        this.spec = data.spec;
        this.schedule = schedule;
        this.team = new Team(spec.threads());
        this.costs = costs;
        this.upkeep = upkeep;
    }

    /** What a pass does around and inside the clock. */
    public interface Pass {
        default void before() throws Exception {}

        /**
         * Whether {@link #before} works so much that costs have to be read between it and the timed
         * part. Where it does not they are read before the first and after the last pass only:
         * reading them slows the next pass by 2 ms.
         */
        default boolean prepares() {
            return false;
        }

        /** Whether it goes on for a set time: then one is measured. */
        default boolean isTimeBoxed() {
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

        /** Forgets what it recorded: the passes that follow are measured. */
        default void warmedUp() {}

        /** Entries that a pass handles; 0: every entry once. */
        default long entries() {
            return 0;
        }

        /** Keys and values that a pass handles, in bytes; 0: those of its entries. */
        default long bytes() {
            return 0;
        }

        /** What each operation took by itself; null where a pass is timed as a whole. */
        default OperationTimes operations() {
            return null;
        }

        /** What was observed besides times and costs. */
        default Observed observed() {
            return null;
        }
    }

    /**
     * How far apart operations are due in an open loop: as the case says, or at half the rate of a
     * closed one.
     *
     * @throws UserError where the case does not say, and the closed one was not measured before
     */
    public double dueEveryNs(Workload open, Workload closed) {
        if (spec.settings().containsKey(Setting.RATE)) {
            return 1e9 / spec.count(Setting.RATE, 1);
        }
        if (!operationNs.containsKey(closed.name())) {
            throw new UserError("Measure " + closed + " before " + open
                    + ", whose rate follows from it, or give the case a rate");
        }
        return operationNs.get(closed.name()) / SHARE_OF_CLOSED_LOOP;
    }

    /** Does what the clock is not to see, in the middle of a pass that prepares. */
    public void unclocked(Callable<?> work) throws Exception {
        long start = System.nanoTime();
        costs.pause();
        work.call();
        costs.resume();
        unclockedNs += System.nanoTime() - start;
    }

    /** Makes one pass, whole and unmeasured. */
    public static void once(Pass pass) throws Exception {
        pass.before();
        pass.timed();
        pass.after();
    }

    /** Makes passes until warm and measures those that follow. */
    public Measurement measure(Workload workload, Pass pass) throws Exception {
        List<Long> warmupNs = new ArrayList<>();
        long warmupEnd = System.nanoTime() + (long) (schedule.warmupSeconds() * 1e9);
        do {
            warmupNs.add(warmUp(pass));
        } while (System.nanoTime() < warmupEnd);
        return measure(workload, pass, warmupNs, schedule);
    }

    /**
     * Makes so many passes, however long they take: of what leaves another database each time.
     *
     * @param warmUps passes that come before, and do not count
     */
    public Measurement measure(Workload workload, Pass pass, int warmUps, int measured)
            throws Exception {
        List<Long> warmupNs = new ArrayList<>();
        for (int made = 0; made < warmUps; made++) {
            warmupNs.add(warmUp(pass));
        }
        return measure(workload, pass, warmupNs, new Schedule(0, measured, NO_LIMIT_SECONDS));
    }

    private Measurement measure(
            Workload workload, Pass pass, List<Long> warmupNs, Schedule schedule) throws Exception {
        List<Long> passNs = new ArrayList<>();
        pass.warmedUp();
        costs.begin();
        long measureEnd = System.nanoTime() + (long) (schedule.measureSeconds() * 1e9);
        int passes = pass.isTimeBoxed() ? 1 : schedule.iterations();
        while (passNs.size() < passes && (passNs.isEmpty() || System.nanoTime() < measureEnd)) {
            if (Thread.interrupted()) {
                throw new Interrupted();
            }
            pass.before();
            if (pass.prepares()) {
                costs.resume();
            }
            unclockedNs = 0;
            long start = System.nanoTime();
            pass.timed();
            long end = System.nanoTime();
            if (pass.prepares()) {
                costs.pause();
            }
            passNs.add(end - start - unclockedNs);
            pass.after();
        }
        if (!pass.prepares()) {
            costs.pause();
        }
        operationNs.put(workload.name(), Measurement.median(passNs) / spec.entries());
        long entries = pass.entries() == 0 ? spec.entries() : pass.entries();
        return new Measurement(
                workload.name(),
                warmupNs,
                passNs,
                entries,
                pass.bytes() == 0 ? entries * spec.entryBytes() : pass.bytes(),
                costs.total(),
                pass.observed(),
                pass.operations());
    }

    private long warmUp(Pass pass) throws Exception {
        pass.before();
        unclockedNs = 0;
        long start = System.nanoTime();
        pass.warmUp();
        long end = System.nanoTime();
        long ns = end - start - unclockedNs;
        pass.after();
        return ns;
    }

    @Override
    public void close() {
        team.close();
    }
}
