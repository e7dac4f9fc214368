package kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import families.PlainMap;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kv.bench.Measurement;
import kv.bench.Program;
import kv.bench.Schedule;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.StoreDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A map's runs, which time themselves and count the collections of each. */
class PlainMapTest {

    private static final CaseSpec SPEC = new CaseSpec(KeyKind.STRING, Order.RANDOM, 50, 10);

    /** Has garbage collected before it is filled. */
    private static final class Costly extends HashMap<String, byte[]> {
        @Override
        public byte[] put(String key, byte[] value) {
            if (isEmpty()) {
                System.gc();
            }
            return super.put(key, value);
        }
    }

    /** A map that is collected. */
    private static final class Collected extends PlainMap.OfJava {

        @Override
        public StoreDescriptor describe() {
            return describe(Collected.class, "Collected", "#ff0000", "", "a map");
        }

        @Override
        public String engine() {
            return "HashMap";
        }

        @Override
        protected Map<String, byte[]> empty(Path directory) {
            return new Costly();
        }
    }

    private static long gcMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    private static long sum(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void collectionsAreThoseOfEachRun(@TempDir Path folder) throws Exception {
        for (int time = 0; time < 20; time++) {
            System.gc(); // of which no run is to know
        }
        long before = gcMs();
        try (var program = (Program) new Collected().open(folder, SPEC)) {
            Measurement fill = program.run("fill", null, new Schedule(0, 1, 0));
            long meanwhile = gcMs() - before;
            Measurement total = program.run("total", null, new Schedule(0, 1, 0));
            assertEquals(10, fill.passNs().size());
            assertEquals(10, fill.observed().gcMs().size());
            assertTrue(sum(fill.observed().gcMs()) <= meanwhile, "not more than there were");
            assertTrue(sum(fill.observed().gcMs()) > 0.5 * meanwhile, "nor less");
            assertTrue(sum(total.observed().gcMs()) <= meanwhile);
            assertEquals(sum(fill.observed().gcMs()), fill.cost().gcMs());
            assertEquals(50 * (16 + 10), fill.bytes(), "keys and values");
        }
    }
}
