///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/RocksSide.java
//FILES rocks.c=../families/rocks.c

package stores;

import families.RocksSide;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kv.bench.Cost;
import kv.bench.Measurement;
import kv.bench.Observed;
import kv.bench.OperationTimes;
import kv.bench.Program;
import kv.bench.Schedule;
import kv.cli.Cli;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.Setting;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;
import org.HdrHistogram.Histogram;

/**
 * RocksDB without a JVM: a C program, compiled on this machine and linked to the very library that
 * RocksJava loads. It runs and times the passes; this class starts it with what to do and reads
 * what it prints.
 */
public final class RocksC extends RocksSide {

    private static final List<String> COMPILERS = List.of("cc", "gcc", "clang");
    private static final List<String> CALLS = List.of("classic", "direct");

    private static final Schedule ONCE = new Schedule(0, 0, 0); // one pass, untimed

    private static Path program; // null until it is compiled

    public static void main(String... arguments) {
        Cli.run(new RocksC(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        RocksC.class,
                        "native (C)",
                        "#5f7f3f",
                        "RocksDB from a C program of its own, without a JVM",
                        "classic: values are pinned where RocksDB has them; direct: copied into"
                                + " one buffer")
                .usage(
                        "cc",
                        "-std=c11 -O2",
                        "RocksDB itself is the library in the jar",
                        "https://gcc.gnu.org/onlinedocs/gcc/Optimize-Options.html");
    }

    @Override
    public List<String> workloads() {
        return List.of("write", "readKey", "readSeq"); // the loops of the C program
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws IOException, InterruptedException {
        String calls = spec.calls(CALLS, "classic");
        if (spec.content() != Content.RANDOM) {
            throw new Unavailable("the C program knows random values only");
        }
        if (!System.getProperty("os.name").equals("Linux")) {
            throw new Unavailable("the C program is for Linux");
        }
        if (program == null) {
            program = compile();
        }
        return new Native(program, Files.createTempDirectory("entries"), directory, spec, calls);
    }

    /** The compiled program, in a folder of its own, which is removed when this JVM ends. */
    private static Path compile() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("rocks");
        folder.toFile().deleteOnExit(); // after what is in it: the last one named goes first
        List.of("rocks", "rocks.c", "librocks.so")
                .forEach(file -> folder.resolve(file).toFile().deleteOnExit());
        try (InputStream in = RocksC.class.getResourceAsStream("/rocks.c")) {
            Files.copy(in, folder.resolve("rocks.c"));
        }
        String library = library(folder).getFileName().toString();
        for (String compiler : COMPILERS) {
            Process process;
            try {
                process = new ProcessBuilder(
                                compiler,
                                "-std=c11",
                                "-O2",
                                "-o",
                                "rocks",
                                "rocks.c",
                                "-L.",
                                "-l:" + library,
                                "-lpthread",
                                "-Wl,-rpath,$ORIGIN")
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
            } catch (IOException notThere) {
                continue;
            }
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(
                        compiler + " does not compile the program: " + first(output));
            }
            return folder.resolve("rocks");
        }
        throw new Unavailable(
                "there is no C compiler here: install gcc or clang (Debian: apt install gcc"
                        + " libc6-dev)");
    }

    private static String first(String lines) {
        return lines.lines().findFirst().orElse("it does not say why");
    }

    /** @param entries folder for the entries, which the program reads from there */
    private record Native(Path program, Path entries, Path directory, CaseSpec spec, String calls)
            implements Program {

        @Override
        public void load(Data data) throws IOException, InterruptedException {
            execute(command("write", ONCE), data);
        }

        @Override
        public Measurement run(String workload, Data data, Schedule schedule)
                throws IOException, InterruptedException {
            List<String> command = command(workload, schedule);
            Report report = new Report();
            execute(command, data).lines().forEach(report::read);
            long handled =
                    (long) spec.entries() * (workload.equals("readSeq") ? spec.threads() : 1);
            List<Long> cost = report.cost;
            return new Measurement(
                    workload,
                    report.warmups,
                    report.passes,
                    handled,
                    handled * spec.entryBytes(),
                    Cost.ofProcess(cost.get(0), cost.get(1), cost.get(2), cost.get(3), cost.get(4)),
                    Observed.program(report.writesPerSecond, shown(command), report.closes()),
                    report.operations());
        }

        @Override
        public void verify(Data data) throws IOException, InterruptedException {
            execute(command("verify", ONCE), data);
        }

        private List<String> command(String what, Schedule schedule) {
            return List.of(
                    program.toString(),
                    options(),
                    directory.toString(),
                    entries.toString(),
                    what,
                    "" + spec.entries(),
                    "" + spec.keys().bytes,
                    "" + spec.valueBytes(),
                    "" + spec.threads(),
                    spec.settings().getOrDefault(Setting.LOAD, "written"),
                    spec.settings().getOrDefault(Setting.WRITES, "0"),
                    calls,
                    "" + schedule.warmupSeconds(),
                    "" + schedule.iterations(),
                    "" + schedule.measureSeconds(),
                    "" + Data.GENERATION_BYTES);
        }

        /** The command without what is only this machine's. */
        private String shown(List<String> command) {
            return String.join(" ", command)
                    .replace(program.toString(), "rocks")
                    .replace(directory.toString(), "DATABASE")
                    .replace(entries.toString(), "ENTRIES")
                    .replace(options(), "OPTIONS");
        }

        private String execute(List<String> command, Data data)
                throws IOException, InterruptedException {
            if (!Files.exists(entries.resolve("keys"))) {
                data.save(entries);
            }
            Path errors = entries.resolve("errors");
            Process process =
                    new ProcessBuilder(command).redirectError(errors.toFile()).start();
            try {
                String output =
                        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (process.waitFor() != 0) {
                    throw new IllegalStateException("the C program ended with "
                            + process.exitValue() + ": " + first(Files.readString(errors)));
                }
                return output;
            } finally {
                process.destroyForcibly();
            }
        }

        @Override
        public void close() throws IOException {
            for (String file : List.of("keys", "tape", "order", "gets", "ahead", "errors", "")) {
                Files.deleteIfExists(entries.resolve(file));
            }
        }
    }

    /** What the program printed. */
    private static final class Report {

        final List<Long> warmups = new ArrayList<>();
        final List<Long> passes = new ArrayList<>();
        final Histogram latencies = new Histogram(OperationTimes.DIGITS);
        final List<Long> closes = new ArrayList<>();
        List<Long> cost = List.of();
        Double writesPerSecond;

        void read(String line) {
            String[] words = line.split(" ");
            List<Long> numbers =
                    java.util.Arrays.stream(words).skip(1).map(Long::valueOf).toList();
            switch (words[0]) {
                case "warmup" -> warmups.add(numbers.get(0));
                case "pass" -> passes.add(numbers.get(0));
                case "cost" -> cost = numbers;
                case "close" -> closes.add(numbers.get(0));
                case "writes" -> writesPerSecond = numbers.get(0) * 1e9 / numbers.get(1);
                case "latency" -> latencies.recordValueWithCount(numbers.get(0), numbers.get(1));
                default -> throw new IllegalStateException("the C program said " + line);
            }
        }

        List<Long> closes() {
            return closes.isEmpty() ? null : closes;
        }

        OperationTimes operations() {
            return latencies.getTotalCount() == 0 ? null : new OperationTimes(latencies, null);
        }
    }
}
