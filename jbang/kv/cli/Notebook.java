package kv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.UserError;
import kv.trial.Profile;
import kv.trial.Section;
import kv.trial.Trial;
import kv.trial.Work;

/**
 * What a measure notebook runs in: the stores, the profile and the run's folder, as the launcher
 * set them in the environment, or as the notebook's first cell says when a person opened it.
 *
 * <p>Measuring is idempotent: a trial already recorded is shown, not measured again.
 */
public final class Notebook {

    private final List<String> stores;
    private final Profile profile;
    private final Path run;

    private Notebook(List<String> stores, Profile profile, Path run) {
        this.stores = stores;
        this.profile = profile;
        this.run = run;
    }

    /**
     * The notebook's surroundings.
     *
     * @param profile used when the launcher names none
     * @param stores ids of the stores to measure when the launcher names none
     */
    public static Notebook of(String profile, String... stores) {
        String ids = System.getenv("KV_STORES");
        Path folder = Path.of(environment("KV_RUN_DIR", "../../data/runs/by-hand"));
        return new Notebook(
                ids == null
                        ? List.of(stores)
                        : Arrays.stream(ids.split(","))
                                .filter(s -> !s.isBlank())
                                .toList(),
                Profile.named(environment("KV_PROFILE", profile)),
                folder.toAbsolutePath().normalize());
    }

    /** The profile in force: sizes, passes, trials. */
    public Profile profile() {
        return profile;
    }

    /** Measures each store that is not recorded yet, and records it. */
    public void measure(Section section) throws Exception {
        int trial = Integer.parseInt(environment("KV_TRIAL", "1"));
        for (String id : stores) {
            Store store = store(id);
            Path file = run.resolve(section.id()).resolve(id + "-" + trial + ".json");
            if (Files.exists(file)) {
                recorded(section, id)
                        .forEach(t -> System.out.printf(
                                "%s, trial %d, started %s, %.0f s: %s%n",
                                t.store().name(),
                                t.trial(),
                                t.started(),
                                t.seconds(),
                                t.status() == Trial.Status.OK
                                        ? "recorded"
                                        : "failed, " + t.reason()));
                continue;
            }
            Path partial = Work.directory().resolve(id + "-" + trial + ".partial.json");
            var context = new Section.Context(
                    trial,
                    Integer.parseInt(environment("KV_POSITION", "0")),
                    "isolated".equals(System.getenv("KV_MODE"))
                            ? Trial.Mode.ISOLATED
                            : Trial.Mode.SHARED,
                    profile,
                    Long.parseLong(environment("KV_SEED", "" + CaseSpec.SEED)),
                    Work.directory(),
                    System.out::println);
            section.measure(store, context, record -> {
                        try {
                            record.save(partial);
                        } catch (IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    })
                    .save(file);
            Files.deleteIfExists(partial);
        }
    }

    /** A Markdown table of everything recorded in this run for a section. */
    public String results(Section section) throws IOException {
        List<Trial> trials = recorded(section, "");
        return trials.isEmpty()
                ? "*Nothing is recorded for this section yet.*"
                : "Run " + run.getFileName() + ", profile " + trials.get(0).profile()
                        + "; ns per entry, the median over trials of the median pass.\n\n"
                        + Format.markdown(trials);
    }

    /**
     * The trials of a section that this run holds, of one store or, with an empty id, of all; by
     * store and number.
     */
    private List<Trial> recorded(Section section, String id) throws IOException {
        Path folder = run.resolve(section.id());
        List<Trial> trials = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(f -> f.getFileName().toString().endsWith(".json"))
                        .toList()) {
                    Trial trial = Trial.load(file);
                    if (id.isEmpty() || trial.store().id().equals(id)) {
                        trials.add(trial);
                    }
                }
            }
        }
        trials.sort(
                Comparator.comparing((Trial t) -> t.store().name()).thenComparing(Trial::trial));
        return trials;
    }

    /**
     * The adapter of that id.
     *
     * @throws UserError when no such store is on the class path
     */
    public static Store store(String id) {
        try {
            return (Store)
                    Class.forName("stores." + id).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new UserError("There is no store '" + id
                    + "' on this class path; jbang/stores has one file for each");
        }
    }

    private static String environment(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? otherwise : value;
    }
}
