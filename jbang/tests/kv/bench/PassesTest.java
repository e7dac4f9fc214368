package kv.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.UserError;
import kv.store.Workload;
import org.junit.jupiter.api.Test;

class PassesTest {

    private static final long NAP_MS = 20;
    private final List<String> events = new ArrayList<>();
    private final CaseSpec spec = new CaseSpec(KeyKind.INT, Order.DENSE, 1_000, 96);

    /** Notes when costs are read. */
    private final CostMeter meter = new CostMeter() {
        @Override
        public void begin() {
            events.add("begin");
        }

        @Override
        public void resume() {
            events.add("resume");
        }

        @Override
        public void pause() {
            events.add("pause");
        }

        @Override
        public Cost total() {
            return Cost.ofCollection(7L);
        }
    };

    /** Naps before, in and after the clock. */
    private final class Nap implements Passes.Pass {

        private final boolean prepares;

        Nap(boolean prepares) {
            this.prepares = prepares;
        }

        @Override
        public void before() throws Exception {
            events.add("before");
            Thread.sleep(NAP_MS);
        }

        @Override
        public boolean prepares() {
            return prepares;
        }

        @Override
        public void timed() throws Exception {
            events.add("timed");
            Thread.sleep(NAP_MS);
        }

        @Override
        public void warmUp() {
            events.add("warm");
        }

        @Override
        public void warmedUp() {
            events.add("warmedUp");
        }

        @Override
        public void after() throws Exception {
            events.add("after");
            Thread.sleep(NAP_MS);
        }
    }

    private Measurement measure(Schedule schedule, boolean prepares) throws Exception {
        return new Passes(spec, schedule, meter).measure(Workload.READ_KEY, new Nap(prepares));
    }

    @Test
    void onlyThePassItselfIsTimed() throws Exception {
        Measurement measured = measure(new Schedule(0, 2, 60), false);
        assertEquals(1, measured.warmupNs().size());
        assertTrue(measured.warmupNs().get(0) < NAP_MS * 1_000_000);
        assertEquals(2, measured.passNs().size());
        for (long ns : measured.passNs()) {
            assertTrue(ns >= NAP_MS * 1_000_000 && ns < 2 * NAP_MS * 1_000_000, "ns: " + ns);
        }
        assertEquals(1_000, measured.entries());
        assertEquals(100_000, measured.bytes());
        assertEquals(7, measured.cost().gcMs());
    }

    @Test
    void costsAreReadAroundAllPassesOrAroundEachThatPrepares() throws Exception {
        String warming = "before warm after warmedUp begin";
        measure(new Schedule(0, 2, 60), false);
        assertEquals(
                warming + " before timed after before timed after pause", String.join(" ", events));
        events.clear();
        measure(new Schedule(0, 2, 60), true);
        String pass = " before resume timed pause after";
        assertEquals(warming + pass + pass, String.join(" ", events));
    }

    @Test
    void timeEndsWarmingUpAndMeasuringButOnePassIsAlwaysMeasured() throws Exception {
        Measurement measured = measure(new Schedule(0.1, 1_000, 0), false);
        assertTrue(measured.warmupNs().size() > 1);
        assertEquals(1, measured.passNs().size());
    }

    @Test
    void anOpenLoopIsDueAtHalfTheRateOfTheClosedOne() throws Exception {
        Passes passes = new Passes(spec, new Schedule(0, 1, 0), meter);
        for (var pair : Map.of(
                        Workload.GET_RESPONSE, Workload.GET_SERVICE,
                        Workload.PUT_RESPONSE, Workload.PUT_SERVICE)
                .entrySet()) {
            String said = assertThrows(UserError.class, () -> passes.timer(pair.getKey()))
                    .getMessage();
            assertTrue(said.contains(pair.getValue() + " before " + pair.getKey()), said);
        }
        Measurement closed = passes.measure(Workload.GET_SERVICE, new Nap(false));
        OperationTimer open = passes.timer(Workload.GET_RESPONSE);
        assertEquals(0.5e9 / closed.nsPerEntry(), open.recorded().perSecond(), 1e-3);
        assertThrows(UserError.class, () -> passes.timer(Workload.PUT_RESPONSE));
    }

    @Test
    void anOpenLoopHasTheRateOfItsCaseWhereThatHasOne() {
        CaseSpec rated = spec.with(Setting.RATE, 5_000);
        OperationTimer open =
                new Passes(rated, new Schedule(0, 1, 0), meter).timer(Workload.PUT_RESPONSE);
        assertEquals(5_000, open.recorded().perSecond(), 1e-6);
    }

    @Test
    void theUserCanStopIt() {
        Thread.currentThread().interrupt();
        Passes.Pass nothing = () -> {};
        assertThrows(Interrupted.class, () -> new Passes(spec, new Schedule(0, 1, 0), meter)
                .measure(Workload.READ_KEY, nothing));
    }

    @Test
    void theMedianIsTheMiddle() {
        assertEquals(2, Measurement.median(List.of(9, 1, 2)));
        assertEquals(1.5, Measurement.median(List.of(2, 1)));
        assertTrue(Double.isNaN(Measurement.median(List.of())));
        var measured = new Measurement(
                Workload.READ_KEY,
                List.of(),
                List.of(3_000_000L, 1_000_000L, 2_000_000L),
                1_000,
                1,
                null,
                null,
                null);
        assertEquals(
                "readKey: 2,000.0 ns/entry, the median of 3 passes over 1,000 entries: 3.0, 1.0,"
                        + " 2.0 ms",
                measured.toString());
    }
}
