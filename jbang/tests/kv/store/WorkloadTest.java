package kv.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.annotations.SerializedName;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadTest {

    @Test
    void everyWorkloadIsFoundByTheNameThatRecordsHave() throws Exception {
        for (Workload each : Workload.values()) {
            String recorded = Workload.class
                    .getField(each.name())
                    .getAnnotation(SerializedName.class)
                    .value();
            assertEquals(recorded, each.toString());
            assertSame(each, Workload.named(recorded));
        }
        String message =
                assertThrows(UserError.class, () -> Workload.named("readkey")).getMessage();
        assertTrue(message.contains("'readkey'") && message.contains("readKeyXxh64"), message);
    }

    @Test
    void theListsHoldEachWorkloadOnce() {
        EnumSet<Workload> all = EnumSet.copyOf(Workload.EVERY_OF_STORES);
        all.addAll(Workload.OF_MAPS);
        assertEquals(EnumSet.allOf(Workload.class), all);
        assertEquals(
                Workload.values().length,
                Workload.EVERY_OF_STORES.size() + Workload.OF_MAPS.size());
        assertTrue(Workload.EVERY_OF_STORES.containsAll(Workload.OF_STORES));
    }

    @Test
    void aRateFollowsFromAClosedLoopMeasuredBefore() {
        for (var pair : List.of(
                List.of(Workload.PUT_SERVICE, Workload.PUT_RESPONSE),
                List.of(Workload.GET_SERVICE, Workload.GET_RESPONSE))) {
            assertSame(Workload.Pace.CLOSED, pair.get(0).pace);
            assertSame(Workload.Pace.OPEN, pair.get(1).pace);
            assertTrue(Workload.EVERY_OF_STORES.indexOf(pair.get(0))
                    < Workload.EVERY_OF_STORES.indexOf(pair.get(1)));
        }
    }

    @Test
    void whatIsDoneAgainElsewhereIsUnsupportedWithTheFirst() {
        for (Workload each : Workload.values()) {
            for (Workload other : Workload.values()) {
                boolean same = each == other
                        || each == Workload.READ_SEQ_AGED && other == Workload.READ_SEQ
                        || each == Workload.READ_KEY_XXH64 && other == Workload.READ_KEY
                        || each == Workload.READ_KEY_WRITTEN && other == Workload.READ_KEY;
                assertEquals(same, each.isAs(other), each + " as " + other);
            }
        }
    }
}
