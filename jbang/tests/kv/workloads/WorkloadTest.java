package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import kv.MapStore;
import kv.bench.Workload;
import kv.store.Capability;
import kv.store.StoreDescriptor;
import kv.store.UserError;
import org.junit.jupiter.api.Test;

class WorkloadTest {

    @Test
    void everyWorkloadIsFoundByTheNameThatRecordsHave() {
        for (Workload each : Workloads.ALL) {
            assertSame(each, Workloads.named(each.name()));
        }
        assertEquals(Workloads.NAMES.size(), new HashSet<>(Workloads.NAMES).size());
        assertTrue(Workloads.NAMES.containsAll(List.of("write", "readKeyXxh64", "total")));
        String message =
                assertThrows(UserError.class, () -> Workloads.named("readkey")).getMessage();
        assertTrue(message.contains("'readkey'") && message.contains("readKeyXxh64"), message);
    }

    /** As a trial defines it anew. */
    @Test
    void everyClassOfAWorkloadIsMadeWithoutArguments() throws Exception {
        for (Workload each : Workloads.of(new MapStore())) {
            Object again = each.getClass().getConstructor().newInstance();
            assertEquals(each.name(), ((Workload) again).name());
        }
    }

    @Test
    void whatAnAgedOrARateNeedsComesBeforeIt() {
        for (var pair : Map.of(
                        "putService", "putResponse",
                        "getService", "getResponse",
                        "overwrite", "readKeyAged")
                .entrySet()) {
            assertTrue(Workloads.NAMES.indexOf(pair.getKey())
                    < Workloads.NAMES.indexOf(pair.getValue()));
        }
    }

    @Test
    void aStoreWithoutOrderHasNoScans() {
        StoreDescriptor without = new MapStore().describe().unsupported(Capability.SCAN, "none");
        assertEquals(
                Map.of(
                        "readSeq", "none",
                        "readRev", "none",
                        "readCrc", "none",
                        "readXxh64", "none",
                        "readSeqAged", "none",
                        "ycsbE", "none"),
                Workloads.unsupported(without));
        StoreDescriptor forward =
                new MapStore().describe().unsupported(Capability.SCAN_BACKWARDS, "forward");
        assertEquals(Map.of("readRev", "forward"), Workloads.unsupported(forward));
    }
}
