package kv.bench;

import static kv.workloads.Workloads.named;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.UserError;
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
    private class Nap implements Passes.Pass {

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

    private Passes passes(CaseSpec of, Schedule schedule) {
        return new Passes(null, Data.of(of), schedule, meter, null);
    }

    private Measurement measure(Schedule schedule, boolean prepares) throws Exception {
        return passes(spec, schedule).measure(named("readKey"), new Nap(prepares));
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
    void whatIsDoneInTheMiddleOfAPassIsNotTimedAndCostsNothing() throws Exception {
        Passes passes = passes(spec, new Schedule(0, 1, 0));
        var pass = new Nap(true) {
            @Override
            public void timed() throws Exception {
                super.timed();
                passes.unclocked(() -> events.add("checks " + nap(5 * NAP_MS)));
                super.timed();
            }
        };
        Measurement measured = passes.measure(named("readKey"), pass, 0, 2);
        assertEquals(0, measured.warmupNs().size());
        assertEquals(2, measured.passNs().size(), "as many as are asked for");
        for (long ns : measured.passNs()) {
            assertTrue(ns >= 2 * NAP_MS * 1e6 && ns < 6 * NAP_MS * 1e6, "ns: " + ns);
        }
        String each = " before resume timed pause checks 100 resume timed pause after";
        assertEquals("warmedUp begin" + each + each, String.join(" ", events));
    }

    private static long nap(long ms) throws InterruptedException {
        Thread.sleep(ms);
        return ms;
    }

    @Test
    void timeEndsWarmingUpAndMeasuringButOnePassIsAlwaysMeasured() throws Exception {
        Measurement measured = measure(new Schedule(0.1, 1_000, 0), false);
        assertTrue(measured.warmupNs().size() > 1);
        assertEquals(1, measured.passNs().size());
    }

    @Test
    void anOpenLoopIsDueAtHalfTheRateOfTheClosedOne() throws Exception {
        Passes passes = passes(spec, new Schedule(0, 1, 0));
        for (var pair : Map.of(
                        named("getResponse"), named("getService"),
                        named("putResponse"), named("putService"))
                .entrySet()) {
            String said = assertThrows(
                            UserError.class,
                            () -> passes.dueEveryNs(pair.getKey(), pair.getValue()))
                    .getMessage();
            assertTrue(said.contains(pair.getValue() + " before " + pair.getKey()), said);
        }
        Measurement closed = passes.measure(named("getService"), new Nap(false));
        assertEquals(
                closed.nsPerEntry() / 0.5,
                passes.dueEveryNs(named("getResponse"), named("getService")),
                1e-3);
        assertThrows(
                UserError.class,
                () -> passes.dueEveryNs(named("putResponse"), named("putService")));
    }

    @Test
    void anOpenLoopHasTheRateOfItsCaseWhereThatHasOne() {
        CaseSpec rated = spec.with(Setting.RATE, 5_000);
        assertEquals(
                200_000,
                passes(rated, new Schedule(0, 1, 0))
                        .dueEveryNs(named("putResponse"), named("putService")),
                1e-6);
    }

    @Test
    void theUserCanStopIt() {
        Thread.currentThread().interrupt();
        Passes.Pass nothing = () -> {};
        assertThrows(Interrupted.class, () -> passes(spec, new Schedule(0, 1, 0))
                .measure(named("readKey"), nothing));
    }

    @Test
    void theMedianIsTheMiddle() {
        assertEquals(2, Measurement.median(List.of(9, 1, 2)));
        assertEquals(1.5, Measurement.median(List.of(2, 1)));
        assertTrue(Double.isNaN(Measurement.median(List.of())));
        var measured = new Measurement(
                "readKey",
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
