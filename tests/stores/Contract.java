///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java Capabilities.java Collected.java

package stores;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import kv.bench.Workload;
import kv.cli.Notebook;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Store;
import kv.trial.Profile;
import kv.trial.Section;
import kv.trial.Trial;
import kv.trial.TrialRun;
import kv.workloads.Workloads;

/**
 * Takes one store of the class path through every case and workload, and a case with every setting,
 * in one JVM, and prints the trial record; then, in a line, what became of each capability.
 */
public final class Contract {

    private static final int VALUE_BYTES = 100;
    // More than stores take at a time, which is 1,000 at most, and no multiple of it
    private static final int ENTRIES = 1_100;
    private static final int CHANGED_ENTRIES = 300;
    private static final int LARGE_ENTRIES = 120;

    private Contract() {}

    /**
     * For each setting of a store, whether it has it or not, cases with what is not its own choice:
     * as few as let each value meet every store that takes it.
     */
    private static List<CaseSpec> changed(Map<Setting, String> declared) {
        CaseSpec base = new CaseSpec(KeyKind.INT, Order.RANDOM, CHANGED_ENTRIES, VALUE_BYTES);
        CaseSpec strings =
                new CaseSpec(KeyKind.STRING, Order.SEQUENTIAL, CHANGED_ENTRIES, VALUE_BYTES);
        // The first of the calls that it names, "classic: ...; direct: ..."; any, if none
        String calls = declared.getOrDefault(Setting.CALLS, "none").split(":")[0];
        String compression = declared.getOrDefault(Setting.COMPRESSION, "off").split(" ")[0];
        return List.of(
                base.with(Setting.SYNC, "on").with(Setting.BATCH, "100%"),
                strings.with(Setting.SYNC, "on")
                        .with(Setting.META_SYNC, "off")
                        .with(Setting.WRITE_MAP, "off"),
                page(base).with(Setting.BATCH, 7),
                page(base).with(Setting.SYNC, "on"),
                page(base).with(Setting.MEMORY, "128-writes"),
                page(base).with(Setting.MEMORY, "128-reads"),
                large(compression),
                large("other"),
                base.with(Setting.THREADS, 3),
                base.with(Setting.LOAD, "sequential"),
                base.with(Setting.THREADS, 2).with(Setting.WRITES, 1_000),
                base.with(Setting.CALLS, calls),
                strings.with(Setting.DEFAULTS, "on"));
    }

    /** The baseline of the LevelDB page. */
    private static CaseSpec page(CaseSpec base) {
        return base.withContent(Content.HALF)
                .with(Setting.SYNC, "os")
                .with(Setting.BATCH, 1)
                .with(Setting.COMPRESSION, "default")
                .with(Setting.MEMORY, "4");
    }

    /** So much data for so little memory that most of it is where it is compressed. */
    private static CaseSpec large(String compression) {
        return page(new CaseSpec(KeyKind.STRING, Order.SEQUENTIAL, LARGE_ENTRIES, 100_000))
                .with(Setting.COMPRESSION, compression);
    }

    private static CaseSpec plain(KeyKind keys, Order order) {
        return new CaseSpec(keys, order, ENTRIES, VALUE_BYTES);
    }

    /** Arguments: the store's id, and the directory to work in. */
    public static void main(String... arguments) throws Exception {
        Store store = Notebook.store(arguments[0]);
        // Strings that are loaded in order are in some of the changed cases
        Section everything = Section.of("contract")
                .cases(
                        Workloads.of(store).stream().map(Workload::name).toList(),
                        plain(KeyKind.INT, Order.SEQUENTIAL),
                        plain(KeyKind.INT, Order.RANDOM),
                        plain(KeyKind.STRING, Order.DENSE))
                .cases(
                        List.of("write", "readSeq", "getBesideWriter", "openKilled"),
                        changed(store.describe().settings()));
        var context = new TrialRun.Context(
                1,
                0,
                Trial.Mode.ISOLATED,
                Profile.SMOKE,
                CaseSpec.SEED,
                Path.of(arguments[1]),
                System.err::println);
        System.out.println(TrialRun.measure(everything, store, context, null, partial -> {})
                .json());
        System.out.println(new Gson().toJson(Capabilities.outcomes(store, Path.of(arguments[1]))));
        held(arguments[1]).forEach(each -> System.err.println("still holds " + each));
        nativeCode().forEach(each -> System.err.println("runs native code: " + each));
    }

    /**
     * The files with code of this process that are neither the JVM's nor the system's, nor the
     * harness's own, which calls the system by JFFI.
     */
    private static List<String> nativeCode() throws IOException {
        Path maps = Path.of("/proc/self/maps");
        if (!Files.exists(maps)) {
            return List.of();
        }
        String jvm = Path.of(System.getProperty("java.home")).toRealPath().toString();
        return Files.readAllLines(maps).stream()
                .map(line -> line.split(" +", 6))
                .filter(fields -> fields.length == 6 && fields[1].contains("x"))
                .map(fields -> fields[5])
                .filter(file -> file.startsWith("/") && !file.contains("jffi"))
                .filter(file -> !file.startsWith(jvm))
                .filter(file -> !file.startsWith("/lib") && !file.startsWith("/usr/lib"))
                .distinct()
                .toList();
    }

    /**
     * The files below a directory that this process keeps open or mapped: the space of a deleted
     * file is taken as long as it is.
     */
    private static List<String> held(String directory) throws IOException {
        Path self = Path.of("/proc/self");
        if (!Files.isDirectory(self)) {
            return List.of();
        }
        List<String> found = new ArrayList<>(Files.readAllLines(self.resolve("maps")));
        try (Stream<Path> open = Files.list(self.resolve("fd"))) {
            for (Path each : open.toList()) {
                if (Files.isRegularFile(each)) { // follows the link, to a deleted file too
                    found.add(Files.readSymbolicLink(each).toString());
                }
            }
        }
        return found.stream().filter(each -> each.contains(directory + "/")).toList();
    }
}
