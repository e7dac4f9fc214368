package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Set;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import org.junit.jupiter.api.Test;

/** A section declares, and its plan says it for each profile. */
class PlanTest {

    private static final CaseSpec SMALL = new CaseSpec(KeyKind.INT, Order.RANDOM, 1_000, 100);
    private static final CaseSpec LARGE = new CaseSpec(KeyKind.STRING, Order.RANDOM, 10, 100_000);

    @Test
    void aSectionThatSaysLittleHasWhatTheProfileHas() {
        Plan plan = Section.of("04-x").plan(Profile.QUICK);
        assertEquals(List.of(Section.EVERY), plan.stores());
        assertEquals(Profile.QUICK.trials, plan.trials());
        assertEquals(Profile.QUICK.limitSeconds, plan.limitSeconds());
        assertEquals(Profile.QUICK.heap, plan.heap());
        assertNull(plan.memoryBytes());
        assertEquals(0, plan.flatBytes() + plan.entries() + plan.keptBytes() + plan.files());
        assertFalse(plan.holdsAll() || plan.systemCalls());
        assertEquals(List.of(), plan.filesystems());
    }

    @Test
    void whatASectionChangesIsOfThatProfileOnly() {
        Section section = Section.of("04-x")
                .stores("A", "B")
                .trials(Profile.QUICK, 2)
                .limitSeconds(Profile.FULL, 9);
        assertEquals(2, section.plan(Profile.QUICK).trials());
        assertEquals(Profile.FULL.trials, section.plan(Profile.FULL).trials());
        assertEquals(9, section.plan(Profile.FULL).limitSeconds());
        assertEquals(List.of("A", "B"), section.plan(Profile.FULL).stores());
    }

    @Test
    void theLargestDataSetDecidesWhatIsNeeded() {
        Plan plan = Section.of("04-x")
                .cases(List.of("write"), SMALL, LARGE)
                .entriesAreFiles()
                .plan(Profile.SMOKE);
        assertEquals(10 * (16 + 100_000), plan.flatBytes());
        assertEquals(1_000, plan.entries());
        assertEquals(1_000, plan.files());
        assertEquals(1_000 * (16 + 4 * 4), plan.keptBytes());
    }

    @Test
    void memoryIsTheHeapTheJvmAndAShareOfTheData() {
        Plan plan = Section.of("04-x")
                .cases(List.of("write"), SMALL)
                .memory("512m", 0.25)
                .plan(Profile.STANDARD);
        assertEquals("512m", plan.heap());
        assertEquals(512L << 20, plan.heapBytes());
        assertEquals((512L << 20) + (256L << 20) + 26_000, plan.memoryBytes());
    }

    @Test
    void sizesOfTheHeapAreReadAsJavaReadsThem() {
        assertEquals(512L << 20, Plan.bytes("512m"));
        assertEquals(2L << 30, Plan.bytes("2g"));
    }

    @Test
    void thePlanIsWrittenInTheWordsOfARecord() {
        CaseSpec spec = SMALL.with(Setting.SYNC, "on").withContent(Content.HALF);
        String json = Section.of("04-x")
                .cases(List.of("write", "readKey"), spec)
                .plan(Profile.SMOKE)
                .json();
        JsonObject plan = Trial.GSON.fromJson(json, JsonObject.class);
        assertEquals("smoke", plan.get("profile").getAsString());
        assertTrue(plan.get("memory_bytes").isJsonNull());
        JsonObject only = plan.getAsJsonArray("cases").get(0).getAsJsonObject();
        assertEquals(
                Set.of(
                        "keys",
                        "order",
                        "content",
                        "settings",
                        "entries",
                        "key_bytes",
                        "value_bytes",
                        "workloads"),
                only.keySet());
        assertEquals(
                "int random half {\"sync\":\"on\"} 1000 4 100 [\"write\",\"readKey\"]",
                "%s %s %s %s %s %s %s %s"
                        .formatted(
                                only.get("keys").getAsString(),
                                only.get("order").getAsString(),
                                only.get("content").getAsString(),
                                only.get("settings"),
                                only.get("entries"),
                                only.get("key_bytes"),
                                only.get("value_bytes"),
                                only.get("workloads")));
    }
}
