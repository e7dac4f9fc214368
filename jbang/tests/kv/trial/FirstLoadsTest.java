package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import kv.MapStore;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.KeyKind;
import kv.store.Order;
import kv.workloads.Workloads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a JVM loads before its first case, until a load is hardly faster. */
class FirstLoadsTest {

    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.RANDOM, 10, 8);

    @TempDir
    Path folder;

    /** A store of which each load, in two parts, takes as long as the compiler might make it. */
    private static final class Warming extends MapStore {
        private final List<Integer> millis;
        private int parts;

        Warming(Integer... millis) {
            this.millis = List.of(millis);
        }

        @Override
        protected void afterLoad() {
            try {
                Thread.sleep(millis.get(Math.min(parts++ / 2, millis.size() - 1)));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** How many were made in each way. */
    private Map<String, Integer> loads(
            MapStore store, CaseSpec spec, double seconds, String... ways) throws Exception {
        Path directory = folder.resolve("db");
        Map<String, List<Long>> made = new FirstLoads(store, spec, directory, seconds)
                .make(Stream.of(ways).map(Workloads::named).toList());
        assertFalse(Files.exists(directory), "they leave nothing");
        Map<String, Integer> many = new HashMap<>();
        made.forEach((way, loads) -> many.put(way, loads.size()));
        return many;
    }

    @Test
    void loadsUntilOneIsHardlyFaster() throws Exception {
        assertEquals(Map.of("write", 3), loads(new Warming(120, 40, 80, 1), SPEC, 60, "write"));
        assertEquals(Map.of("write", 2), loads(new Warming(200, 195, 1), SPEC, 60, "write"));
    }

    @Test
    void startsNoneAfterItsLimit() throws Exception {
        assertEquals(Map.of("write", 1), loads(new Warming(20), SPEC, 0.01, "write"));
        assertEquals(Map.of(), loads(new Warming(20), SPEC, 0, "write"));
    }

    @Test
    void aLoaderThatAStoreLacksIsNotMissed() throws Exception {
        MapStore plain = new MapStore() {
            @Override
            public Db open(Path directory, CaseSpec spec) throws Exception {
                Db with = super.open(directory, spec);
                return new Db() {
                    @Override
                    public Writer writer() throws Exception {
                        return with.writer();
                    }

                    @Override
                    public Reader reader() throws Exception {
                        return with.reader();
                    }

                    @Override
                    public void close() throws Exception {
                        with.close();
                    }
                };
            }
        };
        assertEquals(Map.of(), loads(plain, SPEC, 60, "bulkLoad"));
        assertEquals(Map.of("write", 1), loads(plain, SPEC, 0.001, "bulkLoad", "write"));
    }

    @Test
    void ofLargeDataAPartIsEnough() throws Exception {
        long[] entries = {0};
        MapStore counting = new MapStore() {
            @Override
            protected byte[] stored(Entry entry) {
                entries[0]++;
                return new byte[0];
            }
        };
        int largeEntries = 300; // of 1 MB each
        Map<String, Integer> made =
                loads(counting, SPEC.withSize(largeEntries, 1 << 20), 0.01, "write");
        assertEquals(made.get("write") * (255 + 255 / 64), entries[0]);
    }
}
