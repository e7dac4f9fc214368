package kv.trial;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import kv.bench.Database;
import kv.bench.Workload;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.workloads.Workloads;

/**
 * A trial under way: one store, taken through every case of a section in this JVM. After an Error
 * the JVM is no longer what other stores are measured in, so that the trial stops there, and the
 * launcher has another JVM go on from the record so far.
 */
public final class TrialRun {

    /** Why a case failed of which this JVM, or the one before it, did not see the end. */
    static final String UNFINISHED = "unfinished"; // the launcher puts the cause in its place

    private final Section section;
    private final Store store;
    private final Context context;
    private final String started;
    private final double secondsBefore;
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

    private TrialRun(Section section, Store store, Context context, Trial before) throws Exception {
        this.section = section;
        this.store = store;
        this.context = context;
        this.jars = Provenance.jars();
        if (before == null) {
            started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
            secondsBefore = 0;
        } else {
            started = before.started();
            secondsBefore = before.seconds();
            output.addAll(before.output());
            before.cases().forEach(each -> cases.put(shuffled().get(each.turn()), each));
        }
    }

    /**
     * Measures a store.
     *
     * @param before the record so far of a JVM that did not get to the end, to go on from; null
     *     where there was none
     * @param checkpoint receives the record so far, before each case and after it, so that a crash
     *     loses that case only
     * @throws SpentJvm when another JVM has to go on
     */
    public static Trial measure(
            Section section, Store store, Context context, Trial before, Consumer<Trial> checkpoint)
            throws Exception {
        return new TrialRun(section, store, context, before).measure(checkpoint);
    }

    private Trial measure(Consumer<Trial> checkpoint) throws Exception {
        Path directory = context.workDirectory()
                .resolve(store.describe().id() + "-" + ProcessHandle.current().pid());
        List<Integer> places = shuffled();
        Map<String, Integer> loaded = new HashMap<>();
        try {
            for (int turn = cases.size(); turn < places.size(); turn++) {
                Section.Case each = section.cases().get(places.get(turn));
                List<Workload> workloads =
                        each.workloads().stream().map(Workloads::named).toList();
                CaseSpec spec = each.spec().withSeed(context.seed());
                var run = new CaseRun(
                        store, spec, context.profile(), directory, turn, loaded, this::report);
                cases.put(places.get(turn), run.failed(workloads, UNFINISHED));
                checkpoint.accept(record());
                cases.put(places.get(turn), run.measured(workloads));
                checkpoint.accept(record());
                boolean last = turn == places.size() - 1;
                // By hand nobody would start another JVM
                if (run.spent() && !last && context.mode() == Trial.Mode.ISOLATED) {
                    throw new SpentJvm();
                }
            }
            return record();
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
        return secondsBefore + (System.nanoTime() - startNs) / 1e9;
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
                seconds(),
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
