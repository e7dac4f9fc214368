package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import kv.bench.OperationTimes;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What goes into a record: latencies as HdrHistogram encodes them, and reasons, cut. */
class TrialTest {

    @Test
    void aHistogramIsReadBackAsItWas() throws Exception {
        Histogram ns = new Histogram(3_600_000_000_000L, OperationTimes.DIGITS);
        for (long value : new long[] {0, 1, 180, 180, 257, 1_000, 123_456, 3_600_000_000_000L}) {
            ns.recordValue(value);
        }
        ns.recordValueWithCount(180, 1_000); // so that no percentile is the maximum
        Trial.Singles singles = Trial.Singles.of(new OperationTimes(ns, 5.0));
        assertEquals(1_008, singles.count());
        assertEquals(5.0, singles.perSecond());
        assertEquals(ns.getMaxValue(), singles.maxNs());
        assertTrue(singles.counts().startsWith("HISTF"), "as the log files of HdrHistogram do");
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(singles.counts()));
        assertEquals(ns, Histogram.decodeFromCompressedByteBuffer(bytes, 0));
        assertNull(Trial.Singles.of(null));
    }

    @Test
    void whatAStoreThrowsIsCutToWhatARecordHasRoomFor() {
        CaseSpec spec = new CaseSpec(KeyKind.INT, Order.RANDOM, 10, 8);
        for (String said : List.of("no", "no".repeat(200), "no".repeat(500_000))) {
            String reason = Trial.Result.without("write", Trial.Status.FAILED, said, spec)
                    .reason();
            assertTrue(reason.length() <= 400 && said.startsWith(reason.replace("…", "")));
            assertEquals(said.length() > 400, reason.endsWith("…"));
        }
    }
}
