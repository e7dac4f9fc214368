package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import kv.bench.OperationTimes;
import org.junit.jupiter.api.Test;

class OperationTimerTest {

    private static final int OPERATIONS = 20;
    private static final Share TURNS = new Share(null, 0, 0, OPERATIONS, () -> false);
    private static final long STALL_NS = 40_000_000;
    private static final double INTERVAL_NS = 1_000_000;

    private static void stallAtFirst(int position) throws Exception {
        if (position == 0) {
            Thread.sleep(STALL_NS / 1_000_000);
        }
    }

    @Test
    void aClosedLoopHidesTheWaitingBehindAStall() throws Exception {
        OperationTimer timer = OperationTimer.closed(1);
        timer.run(TURNS, OperationTimerTest::stallAtFirst);
        OperationTimes times = timer.recorded();
        assertEquals(OPERATIONS, times.ns().getTotalCount());
        assertTrue(times.ns().getMaxValue() >= 0.98 * STALL_NS);
        assertTrue(times.ns().getValueAtPercentile(50) < STALL_NS / 10);
        assertNull(times.perSecond());
    }

    @Test
    void anOpenLoopCountsTheWaitingOfThoseThatAreDue() throws Exception {
        OperationTimer timer = OperationTimer.open(INTERVAL_NS);
        timer.run(TURNS, OperationTimerTest::stallAtFirst);
        OperationTimes times = timer.recorded();
        assertEquals(OPERATIONS, times.ns().getTotalCount());
        assertTrue(
                times.ns().getMinValue() >= STALL_NS - OPERATIONS * INTERVAL_NS,
                "the last one waited, too");
        assertTrue(times.ns().getMaxValue() < 100 * STALL_NS);
        assertEquals(1_000, times.perSecond(), 1e-9);
    }

    @Test
    void anOpenLoopKeepsItsPaceWhenNothingStalls() throws Exception {
        OperationTimer timer = OperationTimer.open(INTERVAL_NS);
        List<Integer> positions = new ArrayList<>();
        long start = System.nanoTime();
        timer.run(TURNS, positions::add);
        assertTrue(System.nanoTime() - start >= (OPERATIONS - 1) * INTERVAL_NS);
        assertEquals(IntStream.range(0, OPERATIONS).boxed().toList(), positions);
    }

    @Test
    void allThreadsCountAndWarmingUpDoesNot() throws Exception {
        OperationTimer timer = OperationTimer.closed(2);
        timer.time(0, 0, position -> {});
        timer.reset();
        timer.time(0, 1, position -> {});
        timer.time(1, 2, position -> {});
        assertEquals(2, timer.recorded().ns().getTotalCount());
    }
}
