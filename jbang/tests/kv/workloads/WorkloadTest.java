package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
        assertEquals(
                Set.of(
                        "readSeq",
                        "readRev",
                        "readCrc",
                        "readXxh64",
                        "readSeqAged",
                        "readRange",
                        "readRangeBack",
                        "readRangeAged",
                        "readRangeCompacted",
                        "readFloor",
                        "ycsbE"),
                lacking(Capability.SCAN));
        assertEquals(
                Set.of("readRev", "readRangeBack", "readFloor"),
                lacking(Capability.SCAN_BACKWARDS));
    }

    private static Set<String> lacking(Capability capability) {
        StoreDescriptor store = StoreDescriptor.of(
                        MapStore.class, "Map", StoreDescriptor.HASH_TABLE, "#ff0000", "", "a map")
                .unsupported(capability, "none");
        Map<String, String> found = Workloads.unsupported(store);
        assertEquals(Set.of("none"), Set.copyOf(found.values()));
        return found.keySet();
    }

    @Test
    void aControlIsNotAskedForWhatWasNeverWritten() {
        assertEquals(
                Set.of("readFloor", "readMiss"),
                Workloads.unsupported(new MapStore().describe()).keySet());
    }
}
