package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The generators draw as YCSB's do. */
class ZipfianTest {

    private static final int DRAWS = 200_000;

    /** The constant that YCSB has: a sum up to a million, and from there on the integral. */
    @Test
    void theZetaOfTenBillionItemsIsWhatYcsbTakesItFor() {
        double from = 1e6;
        double to = 1e10;
        double rest = (Math.pow(to, 0.01) - Math.pow(from, 0.01)) / 0.01
                + (Math.pow(to, -0.99) - Math.pow(from, -0.99)) / 2;
        assertEquals(26.46902820178302, Zipfian.zeta((int) from) + rest, 1e-9);
        assertEquals(1 + Math.pow(0.5, 0.99), Zipfian.zeta(2), 1e-12);
    }

    /** YCSB's first keys are "user6284781860667377211" and "user8517097267634966620". */
    @Test
    void itemsAreScrambledAsYcsbHashesThem() {
        assertEquals(6284781860667377211L, Zipfian.fnv(0));
        assertEquals(8517097267634966620L, Zipfian.fnv(1));
        assertEquals(1820151046732198393L, Zipfian.fnv(2));
    }

    @Test
    void anItemsShareFallsWithItsRank() {
        int items = 1_000;
        int[] drawn = new int[items];
        Zipfian zipfian = Zipfian.of(items);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < DRAWS; i++) {
            drawn[(int) zipfian.draw(random)]++;
        }
        double zeta = Zipfian.zeta(items);
        for (int rank : new int[] {0, 1}) { // these are exact, the others a curve's
            double due = DRAWS / zeta / Math.pow(rank + 1, Zipfian.THETA);
            assertEquals(due, drawn[rank], 5 * Math.sqrt(due));
        }
        int tail = 0;
        for (int rank = items / 2; rank < items; rank++) {
            tail += drawn[rank];
        }
        double due = DRAWS * (zeta - Zipfian.zeta(items / 2)) / zeta;
        assertEquals(due, tail, 0.05 * due);
    }

    @Test
    void theMostPopularEntryLiesWhereItsHashSays() {
        int entries = 997;
        int[] drawn = new int[entries];
        SplittableRandom random = new SplittableRandom(1);
        Zipfian zipfian = Zipfian.scrambled();
        for (int i = 0; i < DRAWS; i++) {
            drawn[zipfian.draw(random, entries)]++;
        }
        int first = (int) (Zipfian.fnv(0) % entries);
        assertEquals(DRAWS / 26.469, drawn[first], 0.1 * DRAWS / 26.469);
        for (int entry = 0; entry < entries; entry++) {
            assertTrue(drawn[entry] > 0, "none is left out");
            assertTrue(drawn[entry] <= drawn[first]);
        }
    }
}
