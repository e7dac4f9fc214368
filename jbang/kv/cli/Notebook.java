package kv.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.UserError;
import kv.trial.Availability;
import kv.trial.Profile;
import kv.trial.Provenance;
import kv.trial.Section;
import kv.trial.Trial;
import kv.trial.TrialRun;
import kv.trial.Work;

/**
 * What a measure notebook runs in: the stores, the profile and the run's folder, as the launcher
 * set them in the environment, or as the notebook's first cell names them when a person opened it.
 *
 * <p>A trial that is recorded already is shown, not measured again. What a person measures lands in
 * {@code data/runs/by-hand}, in a folder named by section, profile and a hash of all that is
 * measured: other data, other folder.
 */
public final class Notebook {

    private static final int NAME_DIGITS = 8;

    private final List<String> stores;
    private final Profile profile;

    private Notebook(List<String> stores, Profile profile) {
        this.stores = stores;
        this.profile = profile;
    }

    /**
     * The notebook's surroundings.
     *
     * @param profile used when the launcher names none
     * @param stores ids of the stores to measure when the launcher names none
     */
    public static Notebook of(String profile, String... stores) {
        String ids = System.getenv("KV_STORES");
        return new Notebook(
                ids == null
                        ? List.of(stores)
                        : Arrays.stream(ids.split(","))
                                .filter(s -> !s.isBlank())
                                .toList(),
                Profile.named(environment("KV_PROFILE", profile)));
    }

    /** The profile in force: sizes, passes, trials. */
    public Profile profile() {
        return profile;
    }

    /**
     * Measures each store that is not recorded yet, and records it; prints what was printed when
     * the others were measured. For the launcher it can write down instead what would be measured.
     */
    public void measure(Section section) throws Exception {
        String planFolder = System.getenv("KV_PLAN");
        if (planFolder != null) {
            Trial.writeWhole(
                    Path.of(planFolder).resolve(section.id() + ".json"),
                    section.plan(profile).json());
            return;
        }
        int trial = Integer.parseInt(environment("KV_TRIAL", "1"));
        List<Trial> recorded = new ArrayList<>();
        for (String id : stores) {
            Path file = folder(section).resolve(id + "-" + trial + ".json");
            if (stands(file, id)) {
                recorded.addAll(recorded(section, List.of(id)));
            } else {
                measure(section, store(id), trial, file);
            }
        }
        System.out.print(Format.log(recorded));
    }

    /**
     * Whether a file has what measuring would record. The launcher has seen to that; by hand a
     * record is of the past when its store's script has been built anew since.
     */
    private static boolean stands(Path file, String store) throws Exception {
        if (!Files.exists(file)) {
            return false;
        }
        return !byHand() || Trial.load(file).jars().contains(Provenance.jarOf(store));
    }

    private void measure(Section section, Store store, int trial, Path file) throws Exception {
        Path partial =
                Work.directory().resolve(store.describe().id() + "-" + trial + ".partial.json");
        var context = new TrialRun.Context(
                trial,
                Integer.parseInt(environment("KV_POSITION", "0")),
                "isolated".equals(System.getenv("KV_MODE"))
                        ? Trial.Mode.ISOLATED
                        : Trial.Mode.SHARED,
                profile,
                Long.parseLong(environment("KV_SEED", "" + CaseSpec.SEED)),
                Work.directory(),
                System.out::println);
        Trial before = byHand() || !Files.exists(partial) ? null : Trial.load(partial);
        TrialRun.measure(section, store, context, before, record -> {
                    try {
                        Trial.writeWhole(partial, record.json()); // checked when it is whole
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .save(file);
        Files.deleteIfExists(partial);
    }

    /**
     * A Markdown table of what is recorded of a section as its cells are now: by hand, of the
     * stores that the first cell names; else of all that the run has.
     */
    public String results(Section section) throws IOException {
        List<Trial> trials = recorded(section, byHand() ? stores : List.of());
        if (trials.isEmpty()) {
            return "*Nothing is recorded for this section yet.*";
        }
        String run = environment("KV_RUN_NAME", "by hand, in " + folder(section).getFileName());
        return "Run " + run + ", profile " + trials.get(0).profile()
                + "; ns per entry, the median over trials of the median pass.\n\n"
                + Format.markdown(trials);
    }

    /** The trials of a section that are recorded, of some stores or, without ids, of all. */
    private List<Trial> recorded(Section section, List<String> ids) throws IOException {
        Path folder = folder(section);
        List<Trial> trials = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(f -> f.getFileName().toString().endsWith(".json"))
                        .toList()) {
                    trials.add(Trial.load(file));
                }
            }
        }
        return trials.stream()
                .filter(trial -> ids.isEmpty() || ids.contains(trial.store().id()))
                .sorted(Comparator.comparing((Trial t) -> t.store().name())
                        .thenComparing(Trial::trial))
                .toList();
    }

    private static boolean byHand() {
        return System.getenv("KV_RUN_DIR") == null;
    }

    /**
     * Where a section's trials are: in the launcher's run or, by hand, in a folder that is named by
     * what is measured.
     */
    Path folder(Section section) {
        if (!byHand()) {
            return Path.of(System.getenv("KV_RUN_DIR")).resolve(section.id());
        }
        String name = section.id() + "-" + profile + "-"
                + digest(section.plan(profile).json());
        return Path.of("../../data/runs/by-hand").toAbsolutePath().normalize().resolve(name);
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, NAME_DIGITS);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The adapter of that id. @throws UserError when the class path has none that can be made */
    public static Store store(String id) {
        String name = "stores." + id;
        try {
            Object made = Class.forName(name).getConstructor().newInstance();
            if (made instanceof Store store) {
                return store;
            }
            throw new UserError(name + " is no store: let its class implement kv.store.Store");
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof LinkageError error && Availability.missing(error) != null) {
                throw error;
            }
            throw new UserError("The store '" + id + "' cannot be made: " + e.getCause());
        } catch (ClassNotFoundException e) {
            throw new UserError("There is no class " + name + " on this class path: a store is"
                    + " named as its file in jbang/stores, and a script elsewhere needs the line"
                    + " `package stores;` and a class named as its file");
        } catch (ReflectiveOperationException e) {
            throw new UserError(name + " cannot be made: let its class be public, not abstract, and"
                    + " have no constructor, or a public one without parameters");
        }
    }

    private static String environment(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? otherwise : value;
    }
}
