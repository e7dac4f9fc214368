package kv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.trial.Profile;
import kv.trial.Trial;
import org.junit.jupiter.api.Test;

class FormatTest {

    private static Trial.Result result(
            String workload, Trial.Status status, String reason, Long... ns) {
        return new Trial.Result(
                workload,
                null,
                status,
                reason,
                List.of(),
                List.of(ns),
                1_000,
                104_000,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    private static Trial trial(
            String store,
            int number,
            Trial.Status status,
            Long closedBytes,
            Trial.Result... results) {
        var measured = new Trial.Case(
                0,
                KeyKind.INT,
                Order.RANDOM,
                Content.RANDOM,
                Map.of(Setting.SYNC, "on"),
                1_000,
                4,
                100,
                104_000,
                null,
                null,
                new Trial.Space(null, closedBytes, null),
                List.of(results));
        var info = new Trial.StoreInfo(
                store,
                store,
                "x",
                "x",
                "",
                "",
                store + " 1.0",
                "x",
                Map.of(),
                List.of(),
                Map.of(),
                Map.of(),
                "");
        return new Trial(
                Trial.FORMAT,
                "04-x",
                number,
                0,
                Trial.Mode.ISOLATED,
                Profile.SMOKE,
                1,
                "2026-11-24T12:00:00Z",
                2,
                status,
                "full",
                info,
                List.of(),
                null,
                null,
                "",
                List.of(),
                List.of(measured));
    }

    @Test
    void aScriptShowsTheMedianPassOfEachWorkload() {
        String text = Format.summary(trial(
                "Map",
                1,
                Trial.Status.FAILED,
                120_000L,
                result("write", Trial.Status.OK, null, 9_000_000L, 2_000_000L, 1_000_000L),
                result("readSeq", Trial.Status.NA, "has no order"),
                result("readKey", Trial.Status.FAILED, "full")));
        assertEquals(
                List.of(
                        "Map, Map 1.0: 1,000 entries, int keys, 100-byte values, random order,"
                                + " sync=on",
                        "",
                        "workload   ms  ns/entry  GB/s  note",
                        "write     2.0   2,000.0  0.05",
                        "readSeq                        n/a: has no order",
                        "readKey                        failed: full",
                        "",
                        "space after close: 120,000 bytes; a flat array takes 104,000 bytes"),
                text.lines().toList());
        String without = Format.summary(trial(
                "Map",
                1,
                Trial.Status.OK,
                null,
                result("readSeq", Trial.Status.NA, "has no order")));
        assertFalse(without.contains("null") || without.contains("space"), without);
    }

    /** A trial that keeps what it printed. */
    private static Trial printing(String store, List<String> output) {
        Trial of = trial(store, 3, Trial.Status.OK, 1L);
        return new Trial(
                of.format(),
                of.section(),
                of.trial(),
                of.position(),
                of.mode(),
                of.profile(),
                of.seed(),
                of.started(),
                of.seconds(),
                of.status(),
                of.reason(),
                of.store(),
                of.jars(),
                of.jvm(),
                of.harness(),
                of.code(),
                output,
                of.cases());
    }

    @Test
    void whatATrialPrintedIsShownAndOlderRecordsAreOneTable() {
        Trial.Result write = result("write", Trial.Status.OK, null, 1_000_000L);
        Trial older = trial("Map", 1, Trial.Status.OK, 1L, write);
        Trial failed = trial("Map", 2, Trial.Status.FAILED, 1L, write);
        Trial newer = printing("B", List.of("1.5 s  B: write 1.0 ns/entry"));
        assertEquals(
                List.of(
                        "B, trial 3, started 2026-11-24T12:00:00Z, 2 s",
                        "  1.5 s  B: write 1.0 ns/entry",
                        "These records are older than the field that keeps what a trial prints:",
                        "store  trial               started  s",
                        "Map        1  2026-11-24T12:00:00Z  2",
                        "Map        2  2026-11-24T12:00:00Z  2  failed: full"),
                Format.log(List.of(older, newer, failed)).lines().toList());
        assertEquals("", Format.log(List.of()));
        assertFalse(Format.log(List.of(newer)).contains("older"));
    }

    @Test
    void whatThisMachineLacksForAStoreIsSaidOnce() {
        Trial first = trial("C", 1, Trial.Status.NA, 1L, result("write", Trial.Status.NA, "full"));
        List<Trial> all = List.of(first, trial("C", 2, Trial.Status.NA, 1L));
        assertEquals("", Format.log(all));
        List<String> lines = Format.markdown(all).lines().toList();
        assertEquals(
                List.of("* C, n/a: full"),
                lines.stream().filter(line -> line.contains("full")).toList());
        assertTrue(lines.get(2).contains("| C ") && lines.get(2).contains(" n/a |"), lines.get(2));
    }

    @Test
    void aNotebookShowsTheMedianTrialAndWhatFailed() {
        String text = Format.markdown(List.of(
                trial(
                        "A",
                        1,
                        Trial.Status.OK,
                        1L,
                        result("write", Trial.Status.OK, null, 1_000_000L)),
                trial(
                        "A",
                        2,
                        Trial.Status.OK,
                        1L,
                        result("write", Trial.Status.OK, null, 3_000_000L)),
                trial(
                        "A",
                        3,
                        Trial.Status.FAILED,
                        1L,
                        result("write", Trial.Status.FAILED, "full")),
                trial(
                        "B",
                        1,
                        Trial.Status.OK,
                        1L,
                        result("readSeq", Trial.Status.OK, null, 12_345L),
                        result("write", Trial.Status.NA, "no"))));
        List<String> lines = text.lines().toList();
        assertEquals(
                "| store | keys | order  | value, B | settings | write, ns | readSeq, ns |",
                lines.get(0));
        assertTrue(lines.get(1).matches("[|:-]+"), lines.get(1));
        assertEquals(
                "| A     | int  | random | 100      | sync=on  |     2,000 |         n/a |",
                lines.get(2));
        assertEquals(
                "| B     | int  | random | 100      | sync=on  |       n/a |        12.3 |",
                lines.get(3));
        assertEquals("* A, trial 3, failed: full", lines.get(lines.size() - 1));
    }
}
