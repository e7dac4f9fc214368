package kv.trial;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import kv.bench.Interrupted;
import kv.bench.Measurement;
import kv.bench.Settle;
import kv.bench.Upkeep;
import kv.bench.Workload;
import kv.bench.WrongData;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.Unavailable;
import kv.store.UserError;
import kv.workloads.BulkLoad;
import kv.workloads.Workloads;

/**
 * Takes a store through the workloads of a case, and makes a result of each: a failing one has its
 * reason.
 */
final class CaseRun {

    private final Store store;
    private final CaseSpec spec;
    private final Profile profile;
    private final Path directory;
    private final int turn;
    private final Map<String, Integer> loaded;
    private final Consumer<String> progress;
    private final List<Trial.Result> results = new ArrayList<>();
    private boolean spent;
    private Map<String, List<Long>> firstLoads;
    private Settle settle;
    private Trial.Space space = new Trial.Space(null, null, null);

    /**
     * @param directory scratch for the database; removed afterwards
     * @param turn how many cases the trial has measured before
     * @param loaded of how many entries this JVM's first loads were, by the way of loading: those
     *     that the case needs are made, and added
     * @param progress receives a line when a workload is done
     */
    CaseRun(
            Store store,
            CaseSpec spec,
            Profile profile,
            Path directory,
            int turn,
            Map<String, Integer> loaded,
            Consumer<String> progress) {
        this.store = store;
        this.spec = spec;
        this.profile = profile;
        this.directory = directory;
        this.turn = turn;
        this.loaded = loaded;
        this.progress = progress;
    }

    /** The case as it is when nothing of it can be measured, for that reason. */
    Trial.Case failed(List<Workload> workloads, String reason) {
        return recorded(
                workloads.stream().map(workload -> failed(workload, reason)).toList());
    }

    /**
     * Runs the workloads. When the load or the comparison at the end fails, all have failed; so
     * they have where an Error is thrown, as nothing that follows it can be compared.
     */
    Trial.Case measured(List<Workload> workloads) throws IOException {
        String unsupported = store.describe().unsupportedReason(spec);
        if (unsupported != null) {
            workloads.forEach(workload -> report(without(workload, unsupported)));
        } else {
            measure(new Bench(store, spec, profile, directory), workloads);
        }
        return recorded(results);
    }

    /** Whether an Error was thrown, after which this JVM is no longer as it was. */
    boolean spent() {
        return spent;
    }

    private Trial.Case recorded(List<Trial.Result> results) {
        return new Trial.Case(
                turn,
                spec.keys(),
                spec.order(),
                spec.content(),
                spec.settings(),
                spec.entries(),
                spec.keys().bytes,
                spec.valueBytes(),
                spec.flatBytes(),
                firstLoads,
                settle,
                space,
                List.copyOf(results));
    }

    private void measure(Bench bench, List<Workload> workloads) throws IOException {
        try {
            load(bench, workloads);
            workloads.forEach(workload -> measure(bench, workload));
            bench.verify(workloads);
        } catch (Exception | Error e) {
            spent = e instanceof Error && Availability.missing(e) == null;
            results.clear();
            workloads.forEach(workload -> report(unmeasured(workload, e)));
        }
        remove(bench);
    }

    private static void remove(Bench bench) throws IOException {
        try {
            bench.remove();
        } catch (IOException | LinkageError e) {
            if (Availability.missing(e) == null) {
                throw e;
            }
            bench.remove(); // what native code opened and cannot close counts as closed now
        }
    }

    /** Loads the database in each way that is measured, or once untimed. */
    private void load(Bench bench, List<Workload> workloads) throws Exception {
        // A loader that is missing leaves an empty database: the bulk load goes first
        List<Workload> loads = workloads.stream()
                .filter(workload -> workload.loads() && bench.impossible(workload) == null)
                .sorted(Comparator.comparing(workload -> !(workload instanceof BulkLoad)))
                .toList();
        // What a hundred entries showed the compiler says little of what thousands take
        List<Workload> unseen = loads.stream()
                .filter(load -> loaded.getOrDefault(load.name(), 0) < spec.entries() / 2)
                .toList();
        if (!unseen.isEmpty()) {
            firstLoads =
                    new FirstLoads(store, spec, directory, profile.firstLoadSeconds).make(unseen);
            unseen.forEach(load -> loaded.put(load.name(), spec.entries()));
        }
        if (loads.isEmpty()) {
            bench.load();
        }
        for (Workload load : loads) {
            report(load instanceof BulkLoad ? bulk(bench, load) : Trial.Result.of(bench.run(load)));
        }
        if (loads.size() == 1 && loads.get(0) instanceof BulkLoad) {
            bench.load(); // as what reads expects it
        }
        Upkeep.Settled settled = bench.settle();
        settle = settled.settle();
        space = new Trial.Space(settled.openBytes(), settled.closedBytes(), null);
    }

    /** Of a loader for sorted entries, which not every store has. */
    private Trial.Result bulk(Bench bench, Workload load) throws Exception {
        try {
            return Trial.Result.of(bench.run(load));
        } catch (Unavailable none) {
            return without(load, none.getMessage());
        }
    }

    private void measure(Bench bench, Workload workload) {
        String impossible = bench.impossible(workload);
        if (impossible == null && workload.first() == Workload.First.AGEING && !bench.isAged()) {
            impossible = notAged();
        }
        if (impossible != null) {
            report(without(workload, impossible));
        } else if (!workload.loads()) {
            try {
                Measurement measured = bench.run(workload);
                report(Trial.Result.of(measured));
            } catch (Exception e) {
                report(unmeasured(workload, e));
            }
            space = new Trial.Space(space.openBytes(), space.closedBytes(), bench.agedBytes());
        }
    }

    /** Why the store could not age the database before; null where it did, or failed to. */
    private String notAged() {
        return results.stream()
                .filter(each -> each.status() == Trial.Status.NA)
                .filter(each ->
                        Workloads.named(each.workload()).leaves() == Workload.Leaves.AN_AGED_ONE)
                .map(Trial.Result::reason)
                .findFirst()
                .orElse(null);
    }

    /** Of a workload at which something was thrown: n/a where this machine lacks what it takes. */
    private Trial.Result unmeasured(Workload workload, Throwable thrown) {
        String reason = reason(thrown); // first, as it goes on with an interrupt
        String missing = Availability.missing(thrown);
        return missing == null ? failed(workload, reason) : without(workload, missing);
    }

    private Trial.Result without(Workload workload, String reason) {
        return Trial.Result.without(workload.name(), Trial.Status.NA, reason, spec);
    }

    private Trial.Result failed(Workload workload, String reason) {
        return Trial.Result.without(workload.name(), Trial.Status.FAILED, reason, spec);
    }

    /**
     * What a result says of a failure; files are named as they are in the database, wherever it
     * was.
     */
    private String reason(Throwable e) {
        if (e instanceof Interrupted || e instanceof InterruptedException) {
            throw new Interrupted();
        }
        String message = e.getMessage();
        if (e instanceof UserError) {
            return message; // a sentence as it is
        }
        boolean wrong = e instanceof WrongData || e instanceof BrokenPromise;
        String type = wrong ? "wrong data" : e.getClass().getSimpleName();
        return message == null
                ? type
                : type + ": " + message.lines().findFirst().orElse("").replace(directory + "/", "");
    }

    private void report(Trial.Result result) {
        String name = "%-14s %s: %-9s ".formatted(store.describe().name(), spec, result.workload());
        progress.accept(name
                + switch (result.status()) {
                    case OK ->
                        "%,9.1f ns/entry"
                                .formatted(Measurement.median(result.iterationNs())
                                        / result.entries());
                    case NA -> "n/a: " + result.reason();
                    case FAILED -> "failed: " + result.reason();
                });
        results.add(result);
    }
}
