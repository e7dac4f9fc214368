package kv.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MemoryHeadroomTest {

    private static final long HEAP = Runtime.getRuntime().maxMemory();
    private static final long ENDLESS = Long.MAX_VALUE / 8;

    @Test
    void aCacheHasAQuarterAtMost() {
        assertEquals(HEAP / 4, MemoryHeadroom.onHeap(ENDLESS));
        assertEquals(1_000, MemoryHeadroom.onHeap(1_000));
        assertEquals(1_000, MemoryHeadroom.outsideHeap(1_000));
        long outside = 4 * MemoryHeadroom.outsideHeap(ENDLESS);
        assertTrue(MemoryHeadroom.holds(outside));
        assertFalse(MemoryHeadroom.holds(outside + 4));
    }

    @Test
    void theHeapIsNotCountedTwice() throws Exception {
        Path told = Path.of("/proc/meminfo");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(told), "only Linux has it");
        String total = Files.readAllLines(told).get(0).replaceAll("\\D", "");
        long most = Long.parseLong(total) * 1024 - HEAP; // a control group may allow less
        long outside = 4 * MemoryHeadroom.outsideHeap(ENDLESS);
        assertTrue(outside > 0 && outside <= most, outside + " of " + most);
    }

    @Test
    void aBudgetIsItsTwoParts() {
        assertEquals(5, new Budget(2, 3).bytes());
        assertEquals(128L << 20, Budget.of("128-reads").bytes());
    }

    @Test
    void constantsAreNamedAsTheyAreWritten() {
        assertEquals("random", Order.RANDOM.toString());
        assertEquals("half", Content.HALF.toString());
        assertEquals("string", KeyKind.STRING.toString());
        assertEquals(Setting.META_SYNC, Setting.named("metaSync"));
        String said = assertThrows(UserError.class, () -> Setting.named("Sync")).getMessage();
        assertTrue(said.contains("'Sync'") && said.contains("sync, "), said);
    }
}
