package kv.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class TeamTest {

    @Test
    void aThreadThatFailsStopsTheOthers() {
        try (Team team = new Team(3)) {
            IllegalStateException failure = new IllegalStateException("full");
            AtomicInteger stopped = new AtomicInteger();
            assertSame(
                    failure,
                    assertThrows(
                            IllegalStateException.class,
                            () -> team.run(thread -> {
                                if (thread == 1) {
                                    throw failure;
                                }
                                while (!team.stopped()) {
                                    Thread.onSpinWait();
                                }
                                stopped.incrementAndGet();
                            })));
            assertEquals(2, stopped.get(), "run returns when all have ended");
        }
    }

    @Test
    void afterAFailureItRunsAgain() throws Exception {
        try (Team team = new Team(2)) {
            assertThrows(
                    AssertionError.class,
                    () -> team.run(thread -> {
                        throw new AssertionError();
                    }));
            team.run(thread -> assertFalse(team.stopped()));
        }
    }

    @Test
    void allThreadsAreAtWorkAtOnceAndKeepTheirNumbers() throws Exception {
        try (Team team = new Team(4)) {
            Set<String> seen = ConcurrentHashMap.newKeySet();
            for (int time = 0; time < 2; time++) {
                CountDownLatch all = new CountDownLatch(4);
                team.run(thread -> {
                    seen.add(thread + " " + Thread.currentThread().getName());
                    all.countDown();
                    all.await();
                });
            }
            assertEquals(4, seen.size());
        }
    }

    @Test
    void sharesLeaveNothingOutAndOverlapNowhere() {
        try (Team team = new Team(3)) {
            assertEquals(0, team.share(0, 10));
            assertEquals(10, team.share(3, 10));
            for (int thread = 0; thread < 3; thread++) {
                int size = team.share(thread + 1, 10) - team.share(thread, 10);
                assertTrue(size == 3 || size == 4);
            }
            assertEquals(Integer.MAX_VALUE, team.share(3, Integer.MAX_VALUE));
        }
    }
}
