///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../jbang/kv/*/*.java ../jbang/families/PlainMap.java
//SOURCES ../jbang/tests/kv/*.java ../jbang/tests/kv/*/*.java
//DEPS org.junit.jupiter:junit-jupiter:5.13.4 org.junit.platform:junit-platform-launcher:1.13.4
//DEPS com.tngtech.archunit:archunit:1.4.1
//DEPS org.pitest:pitest-command-line:1.20.4 org.pitest:pitest-junit5-plugin:1.2.3

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kv.bench.Database;
import org.pitest.mutationtest.commandline.MutationCoverageReport;

/**
 * Changes the core of kv, one place at a time, and sees whether a test of jbang/tests fails, with
 * PIT. Prints the changes that none noticed and that {@code java.txt} does not explain, and ends
 * with 1 when there is one; what it explains and a test does notice is named, too. Runs in the
 * checkout; takes some minutes. Argument: the classes to change, instead of all of the core, as
 * {@code kv.bench.*}.
 */
class MutantsJava {

    private static final String CORE = "kv.workloads.*,kv.bench.*,kv.data.*,kv.store.*";
    private static final Path REPORT = Path.of(".cache/mutants/java");
    // PIT changes and tests what lies in folders, and leaves jars alone
    private static final Path CLASSES = Path.of(".cache/mutants/classes").toAbsolutePath();
    private static final Path EXPLAINED = Path.of("mutants/java.txt");

    /** A line of PIT's table, whose fields have no commas but for the last. */
    private record Mutant(String type, String mutator, String method, String line, String outcome) {

        static Mutant of(String row) {
            String[] fields = row.split(",");
            String mutator = fields[2].substring(fields[2].lastIndexOf('.') + 1);
            return new Mutant(
                    fields[1], mutator.replace("Mutator", ""), fields[3], fields[4], fields[5]);
        }

        boolean isNoticed() {
            return !List.of("SURVIVED", "NO_COVERAGE").contains(outcome);
        }

        /** As the list of those that change nothing names it: lines move. */
        String name() {
            return type + "." + method + " " + mutator;
        }
    }

    public static void main(String... arguments) throws Exception {
        Path own = Path.of(MutantsJava.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        unpack(own);
        String classPath = Stream.concat(
                        Stream.of(CLASSES.toString()),
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .filter(each -> !Path.of(each).equals(own)))
                .collect(Collectors.joining(","));
        String flags = Stream.concat(
                        ManagementFactory.getRuntimeMXBean().getInputArguments().stream(),
                        Stream.of(
                                "-Xmx512m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                // Where addresses are changed JVMs die
                                "-XX:ErrorFile=/dev/null"))
                .collect(Collectors.joining(","));
        MutationCoverageReport.main(new String[] {
            "--targetClasses=" + (arguments.length == 0 ? CORE : arguments[0]),
            "--excludedClasses=*Test,*Test$*",
            "--targetTests=kv.*Test",
            "--excludedTestClasses=kv.ArchitectureTest,kv.cli.*",
            "--classPath=" + classPath,
            "--includeLaunchClasspath=false",
            "--sourceDirs=jbang",
            "--reportDir=" + REPORT,
            "--timestampedReports=false",
            "--outputFormats=CSV",
            "--threads=2",
            "--timeoutConst=20000",
            "--jvmArgs=" + flags,
            "--verbosity=QUIET_WITH_PROGRESS"
        });
        System.exit(report(arguments.length == 0) ? 0 : 1);
    }

    private static void unpack(Path jar) throws IOException {
        Database.delete(CLASSES);
        try (FileSystem files = FileSystems.newFileSystem(jar);
                Stream<Path> all = Files.walk(files.getPath("/"))) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                Path copy = CLASSES.resolve(each.toString().substring(1));
                Files.createDirectories(copy.getParent());
                Files.copy(each, copy);
            }
        }
    }

    private static boolean report(boolean whole) throws IOException {
        List<Mutant> all = Files.readAllLines(REPORT.resolve("mutations.csv")).stream()
                .map(Mutant::of)
                .toList();
        Map<String, Long> explained = Files.readAllLines(EXPLAINED).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.substring(0, line.indexOf(':')))
                .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
        List<Mutant> unexplained = new ArrayList<>();
        for (Mutant each : all) {
            if (!each.isNoticed() && explained.merge(each.name(), -1L, Long::sum) < 0) {
                unexplained.add(each);
            }
        }
        explained.values().removeIf(left -> left <= 0);
        if (whole) {
            explained.keySet().forEach(name -> System.out.println("noticed, and listed: " + name));
        }
        long noticed = all.stream().filter(Mutant::isNoticed).count();
        unexplained.forEach(each ->
                System.out.println(each.outcome() + " " + each.name() + ", line " + each.line()));
        System.out.printf(
                "%d mutants, %d noticed (%.0f%%), %d others are not explained in %s%n",
                all.size(), noticed, 100.0 * noticed / all.size(), unexplained.size(), EXPLAINED);
        return unexplained.isEmpty();
    }
}
