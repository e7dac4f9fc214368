package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import kv.MapStore;
import kv.bench.Workload;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.workloads.Workloads;
import org.junit.jupiter.api.Test;
import stores.Noting;

/** That no workload inherits what the compiler has learnt of another. */
public class AnewTest {

    /** What a store keeps for all instances of its classes. */
    public static final MapStore MAP = new MapStore();

    private static final Map<Class<?>, Set<Class<?>>> SEEN = new ConcurrentHashMap<>();
    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.DENSE, 50, 20);

    /** Notes that a class of the store has seen a sink. */
    public static void note(Class<?> store, Class<?> sink) {
        SEEN.computeIfAbsent(store, none -> ConcurrentHashMap.newKeySet()).add(sink);
    }

    @Test
    void theClassesOfAWorkloadAndOfAScriptAreDefinedAnew() throws Exception {
        Workload known = Workloads.named("readKey");
        Anew one = Anew.of(known, new Noting());
        Anew other = Anew.of(known, new Noting());
        assertNotSame(known.getClass(), one.workload().getClass());
        assertNotSame(one.workload().getClass(), other.workload().getClass());
        assertNotSame(Noting.class, one.store().getClass());
        assertSame(
                one.workload().getClass().getClassLoader(),
                one.store().getClass().getClassLoader());
        assertEquals("readKey", one.workload().name());
        MapStore ofATest = new MapStore();
        assertSame(ofATest, Anew.of(known, ofATest).store());
    }

    @Test
    void eachStoresClassSeesTheSinksOfOneWorkloadOnly() throws Exception {
        SEEN.clear();
        try (Bench bench = Bench.open(new Noting(), SPEC, Profile.SMOKE)) {
            for (Workload workload : Workloads.of(new Noting())) {
                if (workload.impossible(SPEC) == null
                        && !workload.asksForAbsentKeys()) { // of a control
                    bench.time(workload.name());
                }
            }
            SEEN.remove(Noting.class); // which compares, untimed
            assertTrue(SEEN.size() >= 10, "one for each workload that reads: " + SEEN);
            SEEN.forEach((store, sinks) -> assertEquals(1, sinks.size(), () -> "" + sinks));
        }
    }
}
