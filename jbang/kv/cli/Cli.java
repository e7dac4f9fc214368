package kv.cli;

//RUNTIME_OPTIONS -XX:+IgnoreUnrecognizedVMOptions --enable-native-access=ALL-UNNAMED
//RUNTIME_OPTIONS --sun-misc-unsafe-memory-access=allow
//RUNTIME_OPTIONS --add-opens=java.base/java.nio=ALL-UNNAMED
//RUNTIME_OPTIONS --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
//RUNTIME_OPTIONS --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED
//RUNTIME_OPTIONS --add-opens=java.base/java.lang=ALL-UNNAMED
//RUNTIME_OPTIONS --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
//RUNTIME_OPTIONS --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
//RUNTIME_OPTIONS --add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED
//RUNTIME_OPTIONS -Dchronicle.analytics.disable=true -Dslf4j.internal.verbosity=WARN
//COMPILE_OPTIONS -XDignore.symbol.file -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//DEPS dev.harrel:json-schema:1.8.2
//DEPS net.openhft:zero-allocation-hashing:2026.0
//DEPS org.apache.commons:commons-rng-simple:1.6
//DEPS com.github.jnr:jnr-posix:3.1.20
//DEPS org.hdrhistogram:HdrHistogram:2.2.2
// JBang applies every dependency's dependencyManagement to the whole graph, so what several stores
// drag in is pinned here once:
//DEPS com.github.jnr:jnr-ffi:2.2.18 com.github.jnr:jffi:1.3.14 com.github.jnr:jffi:1.3.14:native
//DEPS org.ow2.asm:asm:9.7.1 org.ow2.asm:asm-tree:9.7.1 org.ow2.asm:asm-analysis:9.7.1
//DEPS org.ow2.asm:asm-commons:9.7.1 org.ow2.asm:asm-util:9.7.1
//DEPS org.slf4j:slf4j-api:2.0.17 org.slf4j:slf4j-nop:2.0.17 org.jetbrains:annotations:13.0
//FILES trial.schema.json=../../../data/schema/trial.schema.json

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import kv.bench.Workload;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.UserError;
import kv.trial.Profile;
import kv.trial.Provenance;
import kv.trial.Section;
import kv.trial.Trial;
import kv.trial.TrialRun;
import kv.workloads.Workloads;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of every store's script: one case, this store, this JVM. */
@Command(
        sortOptions = false,
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        footer = {
            "",
            "One pass handles every entry once. Times are those of the median pass. What each pass"
                + " read is checked by count and checksum, and in the end every entry is compared"
                + " byte for byte.",
            "",
            "Ends with 0 when all went well, 1 when something failed or this store cannot do it, 2"
                    + " after a mistake in the arguments."
        })
public final class Cli implements Callable<Integer> {

    private static final int FAILED = 1;
    private static final int MISTAKE = 2;

    private final Store store;

    @Spec
    private CommandSpec command;

    @Parameters(
            arity = "0..*",
            paramLabel = "WORKLOAD",
            defaultValue = "",
            completionCandidates = WorkloadNames.class,
            description =
                    "${COMPLETION-CANDIDATES}; when none is named the first six, of a map the last"
                            + " five")
    private List<String> workloads;

    @Option(
            names = "--entries",
            paramLabel = "N",
            description = "entries (default ${DEFAULT-VALUE})",
            defaultValue = "100000")
    private int entries;

    @Option(
            names = "--value-bytes",
            paramLabel = "N",
            description = "bytes of each value (default ${DEFAULT-VALUE})",
            defaultValue = "100")
    private int valueBytes;

    @Option(
            names = "--keys",
            description = "int or string (default ${DEFAULT-VALUE})",
            defaultValue = "int")
    private KeyKind keys;

    @Option(
            names = "--order",
            description = "sequential or random (default ${DEFAULT-VALUE})",
            defaultValue = "sequential")
    private Order order;

    @Option(
            names = "--content",
            paramLabel = "VALUES",
            defaultValue = "random",
            description = "random, or half: a compressor can halve them (default ${DEFAULT-VALUE})")
    private Content content;

    @Option(
            names = "--set",
            paramLabel = "SETTING=VALUE",
            description =
                    "changes a setting; --options lists those that this store has. There are sync"
                        + " (off, os, on), metaSync, writeMap (on, off), batch (entries, or a"
                        + " share of them as 10%%), compression (on, off, default, other), memory"
                        + " (MB, as 4, 128-writes, 128-reads), threads (a number), load"
                        + " (sequential), writes (a second, beside reads), calls (the store's),"
                        + " defaults (on: the vendor's)")
    private Map<String, String> settings = Map.of();

    @Option(
            names = "--profile",
            description =
                    "decides warm-up and passes, not the entries: smoke, quick, standard, full"
                            + " (default ${DEFAULT-VALUE})",
            defaultValue = "quick")
    private Profile profile;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "seed of key order and values (default ${DEFAULT-VALUE})",
            defaultValue = "" + CaseSpec.SEED)
    private long seed;

    @Option(
            names = "--work",
            paramLabel = "DIR",
            description = "where the database is made, on a real file system (default: the current"
                    + " directory)")
    private Path work = Path.of("");

    @Option(names = "--json", description = "print the trial record instead of a table")
    private boolean json;

    @Option(names = "--options", description = "print the store's options and settings, and end")
    private boolean options;

    private Cli(Store store) {
        this.store = store;
    }

    /**
     * Runs a store's script and ends the process: 0 all went well, 1 something failed, 2 a mistake
     * in the arguments.
     */
    public static void run(Store store, String... arguments) {
        System.exit(commandLine(store).execute(arguments));
    }

    static CommandLine commandLine(Store store) {
        StoreDescriptor descriptor = store.describe();
        CommandLine line = new CommandLine(new Cli(store))
                .setCommandName(descriptor.id())
                .setCaseInsensitiveEnumValuesAllowed(true);
        line.getCommandSpec()
                .usageMessage()
                .description(descriptor.name() + ": " + descriptor.summary());
        line.getCommandSpec().versionProvider(() -> new String[] {version(Provenance.of(store))});
        line.setParameterExceptionHandler((e, parsed) -> {
            PrintWriter err = e.getCommandLine().getErr();
            err.println(e.getMessage() + "; --help shows what there is");
            return MISTAKE;
        });
        line.setExecutionExceptionHandler((e, cmd, parsed) -> {
            if (e instanceof UserError) {
                cmd.getErr().println(e.getMessage());
                return MISTAKE;
            }
            throw e;
        });
        return line;
    }

    /** "RocksDB: org.rocksdb:rocksdbjni 11.8.1, engine RocksDB 11.8.1, Java 17.0.15". */
    private static String version(Trial.StoreInfo info) {
        String library =
                info.library().isEmpty() ? "" : info.library() + " " + info.version() + ", ";
        return "%s: %sengine %s, Java %s"
                .formatted(info.name(), library, info.engine(), System.getProperty("java.version"));
    }

    @Override
    public Integer call() throws Exception {
        StoreDescriptor descriptor = store.describe();
        if (options) {
            printOptions(descriptor);
            return 0;
        }
        List<String> chosen = workloads.stream()
                .filter(w -> !w.isBlank())
                .map(w -> Workloads.named(w).name())
                .toList();
        if (chosen.isEmpty()) {
            chosen = store.workloads().isEmpty()
                    ? Workloads.ALL.stream()
                            .filter(Workload::isShared)
                            .map(Workload::name)
                            .toList()
                    : store.workloads();
        }
        CaseSpec spec = new CaseSpec(keys, order, entries, valueBytes).withContent(content);
        for (var setting : settings.entrySet()) {
            spec = spec.with(Setting.named(setting.getKey()), setting.getValue());
        }
        String unsupported = descriptor.unsupportedReason(spec);
        if (unsupported != null) {
            err().println(descriptor.name() + " cannot run this case: " + unsupported);
            return FAILED;
        }
        refuseUnwritable(work.toAbsolutePath());
        Section section = Section.of("by-hand").cases(chosen, spec);
        var context = new TrialRun.Context(
                1,
                0,
                Trial.Mode.ISOLATED,
                profile,
                seed,
                work.toAbsolutePath(),
                json ? s -> {} : err()::println);
        Trial trial = TrialRun.measure(section, store, context, null, partial -> {});
        out().println(json ? trial.json() : Format.summary(trial));
        return worked(trial) ? 0 : FAILED;
    }

    private static void refuseUnwritable(Path directory) {
        try {
            Files.delete(Files.createTempFile(directory, "kv", null));
        } catch (IOException e) {
            throw new UserError(
                    directory + " is not a writable directory; choose another with --work");
        }
    }

    /** Whether nothing failed, and something was measured. */
    private static boolean worked(Trial trial) {
        return trial.status() == Trial.Status.OK
                && trial.cases().stream()
                        .flatMap(c -> c.results().stream())
                        .anyMatch(r -> r.status() == Trial.Status.OK);
    }

    private void printOptions(StoreDescriptor descriptor) {
        descriptor.options().forEach(o -> out().printf(
                        "%-28s %-20s %s (%s)%n", o.name(), o.value(), o.why(), o.link()));
        descriptor.settings().forEach((setting, what) -> out().printf(
                        "--set %-22s %s%n", setting + "=…", what));
        descriptor.fixed().forEach((setting, why) -> out().printf(
                        "always %-21s %s%n", setting, why));
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
    }

    /** All workloads' names, for the help. */
    static final class WorkloadNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Workloads.NAMES.iterator();
        }
    }
}
