package kv.trial;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kv.bench.Database;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Program;
import kv.bench.Schedule;
import kv.bench.Workload;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.Unavailable;

/**
 * What a JVM loads, and counts nothing of, before the first case that it loads in some way, and
 * before one of more than twice as many entries: without it that case pays for the classes of the
 * store and for what the compiler has not seen yet, which takes a store in Java several loads, of
 * up to six times a later one's time. Reads of a first case are no slower than those of others.
 */
final class FirstLoads {

    // At most: so much shows the compiler everything
    private static final long BYTES = 256L << 20;
    // Of the fastest before it: a load that takes so much of its time is hardly faster
    private static final double HARDLY_FASTER = 0.9;
    // Each load is of all entries, once, after a small one
    private static final Schedule ONCE = new Schedule(0, 1, 0);

    private final Store store;
    private final CaseSpec spec;
    private final Path directory;
    private final double limitSeconds;

    /**
     * @param spec of that case: so many of its entries are loaded as have 256 MB
     * @param limitSeconds no further load is started after so long
     */
    FirstLoads(Store store, CaseSpec spec, Path directory, double limitSeconds) {
        this.store = store;
        this.spec = spec.withSize(
                (int) Math.max(1, Math.min(spec.entries(), BYTES / spec.entryBytes())),
                spec.valueBytes());
        this.directory = directory;
        this.limitSeconds = limitSeconds;
    }

    /**
     * Loads in each of these ways until a load is hardly faster than those before it, and leaves
     * nothing.
     *
     * @param ways workloads that load, in the order of measuring them
     * @return ns of every load, by its way; none of a way that the store does not have
     */
    Map<String, List<Long>> make(List<Workload> ways) throws Exception {
        Map<String, List<Long>> made = new HashMap<>();
        Data data = new Data(spec, store.intKeyOrder());
        Database database = new Database(store, spec, directory);
        var upkeep = new DatabaseUpkeep(database, 0);
        try (var passes = new Passes(database, data, ONCE, new ProcessCosts(directory), upkeep)) {
            for (Workload way : ways) {
                List<Long> loads = untilHardlyFaster(passes, way);
                if (!loads.isEmpty()) {
                    made.put(way.name(), loads);
                }
            }
        } finally {
            database.remove();
        }
        return made;
    }

    private List<Long> untilHardlyFaster(Passes passes, Workload way) throws Exception {
        List<Long> loads = new ArrayList<>();
        long end = System.nanoTime() + (long) (limitSeconds * 1e9);
        long fastest = Long.MAX_VALUE;
        boolean faster = true;
        try {
            // One at least where there is time at all: a rate may follow from it
            while (faster && (loads.isEmpty() && limitSeconds > 0 || System.nanoTime() < end)) {
                long ns = load(passes, way).passNs().get(0);
                faster = ns < HARDLY_FASTER * fastest;
                fastest = Math.min(fastest, ns);
                loads.add(ns);
            }
        } catch (Unavailable none) {
            return List.of(); // as the case itself says
        }
        return loads;
    }

    private static Measurement load(Passes passes, Workload way) throws Exception {
        passes.database.create();
        return passes.database.db() instanceof Program program
                ? program.run(way.name(), passes.data, passes.schedule)
                : way.measure(passes);
    }
}
