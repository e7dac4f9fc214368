package families;

//SOURCES ../kv/*/*.java

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import kv.bench.Cost;
import kv.bench.Measurement;
import kv.bench.Observed;
import kv.bench.Program;
import kv.bench.Schedule;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.StoreDescriptor;

/**
 * A map in memory, used as the performance comparison's "plain vanilla" benchmark uses one (exhibit
 * D02): ten runs, each of which makes random data, fills a map, serialises it, writes the bytes to
 * a file and deletes it. Nothing warms up before, as warming up is part of what is to be seen.
 *
 * @param <M> the map's type
 */
public abstract class PlainMap<M> implements Store {

    private static final int RUNS = 10;
    private static final int KEY_CHARACTERS = 16;
    // That serialising adds to an entry, at most
    private static final int BYTES_OF_AN_OBJECT = 64;

    /** What every map has in common; the subclass names itself. */
    protected static StoreDescriptor describe(
            Class<? extends Store> script,
            String name,
            String colour,
            String library,
            String summary) {
        return StoreDescriptor.of(script, name, StoreDescriptor.NO_STORE, colour, library, summary)
                .usage(
                        "keys, values",
                        "String, byte[]",
                        "a string hashes by its characters, an array does not",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/"
                                + "java.base/java/lang/Object.html"
                                + "#hashCode()")
                .usage(
                        "initial capacity",
                        "default",
                        "plain: the map grows as it fills",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/"
                                + "java.base/java/util/HashMap.html");
    }

    protected abstract M empty(Path directory);

    protected abstract void put(M map, String key, byte[] value);

    protected abstract byte[] get(M map, String key);

    /** Turns the map into bytes: into {@code out}, and returns how many, or elsewhere. */
    protected long serialise(M map, ByteArrayOutputStream out) throws IOException {
        try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
            objects.writeObject(map);
        }
        return out.size();
    }

    /** Writes the bytes to a file, and deletes it. */
    protected void save(ByteArrayOutputStream bytes, Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            bytes.writeTo(out);
        }
        Files.delete(file);
    }

    @Override
    public final List<String> workloads() {
        return List.of("generate", "fill", "serialise", "save", "total");
    }

    @Override
    public final Db open(Path directory, CaseSpec spec) {
        return new Runs(directory, spec);
    }

    /** The ten runs, made when the first of their results is asked for. */
    private final class Runs implements Program {

        private final Path directory;
        private final CaseSpec spec;
        private final Map<String, List<Long>> ns = new HashMap<>();
        private final Map<String, List<Long>> gcMs = new HashMap<>();
        private long bytes;

        Runs(Path directory, CaseSpec spec) {
            this.directory = directory;
            this.spec = spec;
        }

        @Override
        public void load(Data data) {
            // Each run fills a map of its own.
        }

        @Override
        public Measurement run(String workload, Data data, Schedule schedule) throws Exception {
            if (ns.isEmpty()) {
                for (int run = 0; run < RUNS; run++) {
                    once(run);
                }
            }
            var observed =
                    Observed.made(workload.equals("serialise") ? bytes : null, gcMs.get(workload));
            long gc = gcMs.get(workload).stream().mapToLong(Long::longValue).sum();
            return new Measurement(
                    workload,
                    List.of(),
                    ns.get(workload),
                    spec.entries(),
                    bytesOfData(),
                    Cost.ofCollection(gc),
                    observed,
                    null);
        }

        /**
         * The source's run: generate, fill, serialise, write and delete; the data of each run are
         * its own.
         */
        private void once(int run) throws Exception {
            String[] keys = new String[spec.entries()];
            byte[][] values = new byte[spec.entries()][];
            step("generate", () -> generate(new SplittableRandom(spec.seed() + run), keys, values));
            M map = empty(directory);
            var out = new ByteArrayOutputStream(
                    Math.toIntExact(bytesOfData() + (long) spec.entries() * BYTES_OF_AN_OBJECT));
            long total = step("fill", () -> fill(map, keys, values));
            for (int i = 0; i < keys.length; i++) {
                if (!Arrays.equals(values[i], get(map, keys[i]))) {
                    throw new IllegalStateException(
                            "wrong data: another value than the one written came back");
                }
            }
            total += step("serialise", () -> bytes = serialise(map, out));
            total += step("save", () -> save(out, directory.resolve("map")));
            ns.computeIfAbsent("total", w -> new ArrayList<>()).add(total);
            gcMs.computeIfAbsent("total", w -> new ArrayList<>())
                    .add(List.of("fill", "serialise", "save").stream()
                            .mapToLong(w -> gcMs.get(w).get(run))
                            .sum());
        }

        private long bytesOfData() {
            return (long) spec.entries() * (KEY_CHARACTERS + spec.valueBytes());
        }

        private void generate(SplittableRandom random, String[] keys, byte[][] values) {
            for (int i = 0; i < keys.length; i++) {
                keys[i] = HexFormat.of().toHexDigits(random.nextLong());
                values[i] = new byte[spec.valueBytes()];
                random.nextBytes(values[i]);
            }
        }

        private void fill(M map, String[] keys, byte[][] values) {
            for (int i = 0; i < keys.length; i++) {
                put(map, keys[i], values[i]);
            }
        }

        private long step(String workload, Step step) throws Exception {
            long gc = gcMs();
            long start = System.nanoTime();
            step.run();
            long took = System.nanoTime() - start;
            ns.computeIfAbsent(workload, w -> new ArrayList<>()).add(took);
            gcMs.computeIfAbsent(workload, w -> new ArrayList<>()).add(gcMs() - gc);
            return took;
        }

        private static long gcMs() {
            return ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                    .sum();
        }

        @Override
        public void verify(Data data) {
            // Each run has compared every entry, outside its timed steps.
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    /** A map that implements Java's own interface. */
    public abstract static class OfJava extends PlainMap<Map<String, byte[]>> {

        @Override
        protected final void put(Map<String, byte[]> map, String key, byte[] value) {
            map.put(key, value);
        }

        @Override
        protected final byte[] get(Map<String, byte[]> map, String key) {
            return map.get(key);
        }
    }
}
