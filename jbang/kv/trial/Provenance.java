package kv.trial;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.workloads.Workloads;

/** What really ran: the store's version and engine, the jars on the class path, the JVM. */
public final class Provenance {

    /** Flags that name a folder of this machine, where nothing that is measured goes. */
    private static final List<String> FOLDERS =
            List.of("-Djava.io.tmpdir", "-XX:ErrorFile", "-XX:ReplayDataFile");

    private static final int ENGINE_CHARACTERS = 120; // that a record has room for

    private Provenance() {}

    /** A store's description with the versions of its library and its engine. */
    public static Trial.StoreInfo of(Store store) {
        StoreDescriptor descriptor = store.describe();
        return new Trial.StoreInfo(
                descriptor.id(),
                descriptor.name(),
                descriptor.family(),
                descriptor.colour(),
                descriptor.library(),
                version(descriptor),
                engine(store),
                descriptor.summary(),
                Workloads.unsupported(descriptor),
                descriptor.options(),
                descriptor.settings(),
                descriptor.fixed(),
                environment("KV_STORE_CODE"));
    }

    /** The number of the harness, as the launcher knows it; null when nobody launched this. */
    static Integer harness() {
        String number = environment("KV_HARNESS");
        return number.isEmpty() ? null : Integer.valueOf(number);
    }

    /**
     * The hash of the timed path's tokens, as the launcher knows it; empty when nobody launched
     * this.
     */
    static String code() {
        return environment("KV_CODE");
    }

    /**
     * The hash of what a workload runs, as the launcher knows it; null when nobody launched this.
     */
    static String codeOf(String workload) {
        Map<?, ?> codes = Trial.GSON.fromJson(environment("KV_WORKLOADS"), Map.class);
        return codes == null ? null : (String) codes.get(workload);
    }

    private static String environment(String name) {
        return System.getenv().getOrDefault(name, "");
    }

    private static String engine(Store store) {
        try {
            return store.engine();
        } catch (Exception | LinkageError e) {
            if (Availability.missing(e) != null) { // first of all: a class says so once
                return "unknown"; // the case says why
            }
            String words = "unknown: " + e;
            return words.substring(0, Math.min(words.length(), ENGINE_CHARACTERS));
        }
    }

    /**
     * The library's version, read off its jar's name, which Maven makes from artifact and version.
     */
    private static String version(StoreDescriptor descriptor) {
        String artifact =
                descriptor.library().substring(descriptor.library().indexOf(':') + 1) + "-";
        return classPath()
                .map(p -> p.getFileName().toString())
                .filter(n -> n.startsWith(artifact))
                .map(n -> n.substring(artifact.length(), n.length() - ".jar".length()))
                .filter(v -> Character.isDigit(v.charAt(0)))
                .findFirst()
                .orElse("");
    }

    private static Stream<Path> classPath() {
        String kernelPath = System.getenv()
                .getOrDefault("JJAVA_CLASSPATH", System.getProperty("java.class.path"));
        return Arrays.stream(kernelPath.split(File.pathSeparator))
                .map(Path::of)
                .filter(p -> p.toString().endsWith(".jar") && Files.isRegularFile(p));
    }

    static List<Trial.Jar> jars() throws Exception {
        List<Trial.Jar> jars = new ArrayList<>();
        for (Path jar : classPath().distinct().toList()) {
            jars.add(jar(jar));
        }
        return jars;
    }

    /**
     * The jar that JBang has built of a store's script and of the harness; null where the store
     * does not come from one.
     */
    public static Trial.Jar jarOf(String store) throws Exception {
        for (Path jar : classPath().toList()) {
            if (jar.endsWith(store + ".jar")) {
                return jar(jar);
            }
        }
        return null;
    }

    private static Trial.Jar jar(Path jar) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
        return new Trial.Jar(jar.getFileName().toString(), HexFormat.of().formatHex(digest));
    }

    static Trial.Jvm jvm() {
        var runtime = ManagementFactory.getRuntimeMXBean();
        return new Trial.Jvm(
                System.getProperty("java.vm.version"),
                runtime.getVmName(),
                runtime.getVmVendor(),
                runtime.getInputArguments().stream()
                        .filter(flag -> FOLDERS.stream().noneMatch(flag::startsWith))
                        .toList(),
                Runtime.getRuntime().maxMemory(),
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(gc -> gc.getName())
                        .toList());
    }
}
