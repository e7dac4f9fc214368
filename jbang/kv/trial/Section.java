package kv.trial;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import kv.bench.Database;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.Workload;

/**
 * A test of the report, declared: which workloads on which cases. A measure notebook declares one
 * and runs it; a store's script makes one from its command line.
 *
 * @param id number and name, as in the notebook's file name: "04-small-values"
 * @param cases what is measured, in this order
 */
public record Section(String id, List<Case> cases) {

    /** A data set and settings, and the workloads that run on them. */
    public record Case(CaseSpec spec, List<Workload> workloads) {}

    /** A section that runs the same workloads in every case. */
    public Section(String id, List<Workload> workloads, List<CaseSpec> specs) {
        this(id, specs.stream().map(spec -> new Case(spec, workloads)).toList());
    }

    /** This section with further cases, which run workloads of their own. */
    public Section and(List<Workload> workloads, List<CaseSpec> specs) {
        List<Case> more = new ArrayList<>(cases);
        specs.forEach(spec -> more.add(new Case(spec, workloads)));
        return new Section(id, more);
    }

    /** Where and as what a trial runs. */
    public record Context(
            int trial,
            int position,
            Trial.Mode mode,
            Profile profile,
            long seed,
            Path workDirectory,
            Consumer<String> progress) {}

    /**
     * Measures a store: every case of this section, in this JVM.
     *
     * @param checkpoint receives the record so far, first before any case, so that a crash loses
     *     only what came later
     */
    public Trial measure(Store store, Context context, Consumer<Trial> checkpoint)
            throws Exception {
        String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        long start = System.nanoTime();
        List<Trial.Case> measured = new ArrayList<>();
        List<Trial.Jar> jars = Provenance.jars();
        Trial record = record(store, context, started, 0, jars, List.of());
        // A crash in the first case still leaves versions, jars and JVM
        checkpoint.accept(record);
        Path directory = context.workDirectory()
                .resolve(store.describe().id() + "-" + ProcessHandle.current().pid());
        try {
            for (Case each : cases) {
                CaseSpec spec = each.spec().withSeed(context.seed());
                measured.add(
                        new CaseRun(store, spec, context.profile(), directory, context.progress())
                                .run(each.workloads()));
                record = record(
                        store,
                        context,
                        started,
                        (System.nanoTime() - start) / 1e9,
                        jars,
                        List.copyOf(measured));
                checkpoint.accept(record);
            }
            return record;
        } finally {
            Database.delete(directory);
        }
    }

    private Trial record(
            Store store,
            Context context,
            String started,
            double seconds,
            List<Trial.Jar> jars,
            List<Trial.Case> cases) {
        List<Trial.Result> failed = cases.stream()
                .flatMap(c -> c.results().stream())
                .filter(r -> r.status() == Trial.Status.FAILED)
                .toList();
        return new Trial(
                Trial.FORMAT,
                id,
                context.trial(),
                context.position(),
                context.mode(),
                context.profile(),
                context.seed(),
                started,
                seconds,
                failed.isEmpty() ? Trial.Status.OK : Trial.Status.FAILED,
                failed.isEmpty()
                        ? null
                        : failed.get(0).workload() + ": " + failed.get(0).reason(),
                Provenance.of(store),
                jars,
                Provenance.jvm(),
                System.getenv().getOrDefault("KV_CODE", ""),
                cases);
    }
}
