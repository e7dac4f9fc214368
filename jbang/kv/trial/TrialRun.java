package kv.trial;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import kv.bench.Database;
import kv.store.CaseSpec;
import kv.store.Store;

/** A trial under way: one store, taken through every case of a section in this JVM. */
public final class TrialRun {

    private final Section section;
    private final Store store;
    private final Context context;
    private final String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    private final long startNs = System.nanoTime();
    private final List<Trial.Jar> jars;
    // By their place in the section, in which a record has them, whenever they were measured
    private final SortedMap<Integer, Trial.Case> cases = new TreeMap<>();
    private final List<String> output = new ArrayList<>();

    /** Where and as what a trial runs. */
    public record Context(
            int trial,
            int position,
            Trial.Mode mode,
            Profile profile,
            long seed,
            Path workDirectory,
            Consumer<String> progress) {}

    private TrialRun(Section section, Store store, Context context) throws Exception {
        this.section = section;
        this.store = store;
        this.context = context;
        this.jars = Provenance.jars();
    }

    /**
     * Measures a store.
     *
     * @param checkpoint receives the record so far, first before any case, so that a crash loses
     *     only what came later
     */
    public static Trial measure(
            Section section, Store store, Context context, Consumer<Trial> checkpoint)
            throws Exception {
        return new TrialRun(section, store, context).measure(checkpoint);
    }

    private Trial measure(Consumer<Trial> checkpoint) throws Exception {
        Trial record = record(); // a crash in the first case still leaves versions, jars and JVM
        checkpoint.accept(record);
        Path directory = context.workDirectory()
                .resolve(store.describe().id() + "-" + ProcessHandle.current().pid());
        try {
            for (int place : shuffled()) {
                Section.Case each = section.cases().get(place);
                CaseSpec spec = each.spec().withSeed(context.seed());
                cases.put(
                        place,
                        new CaseRun(store, spec, context.profile(), directory, this::report)
                                .run(cases.size(), each.workloads()));
                record = record();
                checkpoint.accept(record);
            }
            return record;
        } finally {
            Database.delete(directory);
        }
    }

    /**
     * The cases' places in the section, in an order of this trial's own: what one case does to the
     * next, as to what the compiler has seen, is spread over all.
     */
    private List<Integer> shuffled() {
        List<Integer> places = new ArrayList<>();
        for (int place = 0; place < section.cases().size(); place++) {
            places.add(place);
        }
        String trial = section.id() + store.describe().id() + context.trial();
        Collections.shuffle(places, new Random(trial.hashCode()));
        return places;
    }

    private void report(String line) {
        output.add("%.1f s  %s".formatted(seconds(), line));
        context.progress().accept(line);
    }

    private double seconds() {
        return (System.nanoTime() - startNs) / 1e9;
    }

    private Trial record() {
        List<Trial.Result> failed = cases.values().stream()
                .flatMap(c -> c.results().stream())
                .filter(r -> r.status() == Trial.Status.FAILED)
                .toList();
        return new Trial(
                Trial.FORMAT,
                section.id(),
                context.trial(),
                context.position(),
                context.mode(),
                context.profile(),
                context.seed(),
                started,
                cases.isEmpty() ? 0 : seconds(),
                failed.isEmpty() ? Trial.Status.OK : Trial.Status.FAILED,
                failed.isEmpty()
                        ? null
                        : failed.get(0).workload() + ": " + failed.get(0).reason(),
                Provenance.of(store),
                jars,
                Provenance.jvm(),
                Provenance.harness(),
                Provenance.code(),
                List.copyOf(output),
                List.copyOf(cases.values()));
    }
}
