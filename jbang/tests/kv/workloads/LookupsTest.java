package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import kv.NoCosts;
import kv.NoUpkeep;
import kv.WatchedStore;
import kv.WatchedStore.Call;
import kv.WatchedStore.Lie;
import kv.bench.Database;
import kv.bench.Measurement;
import kv.bench.Observed;
import kv.bench.Passes;
import kv.bench.Schedule;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Store;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What ranges, look-ups and rounds of deletes ask for, and that what they get is checked. */
@Timeout(60)
class LookupsTest {

    private static final int ENTRIES = 12;
    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.DENSE, ENTRIES, 20)
            .with(Setting.RANGE, 3)
            .with(Setting.ROUNDS, 4);

    @TempDir
    Path folder;

    private final WatchedStore store = new WatchedStore();
    private Data data;
    private Database database;
    private Passes passes;

    /** Loads the entries; each workload then has one pass that warms up, and four measured. */
    private void loaded(CaseSpec spec) throws Exception {
        data = Data.of(spec);
        database = new Database(store, spec, folder.resolve("db"));
        passes = new Passes(
                database, data, new Schedule(0, 4, 60), new NoCosts(), new NoUpkeep(database, 0));
        database.create();
        new Write().once(passes);
        store.forget();
    }

    private Measurement measure(String workload) throws Exception {
        return Workloads.named(workload).measure(passes);
    }

    private void assertWrong(String workload) {
        assertThrows(WrongData.class, () -> measure(workload), workload);
    }

    @AfterEach
    void remove() throws Exception {
        passes.close();
        database.remove();
    }

    @ParameterizedTest
    @CsvSource({"readRange,0,9", "readRangeBack,2,11"})
    void rangesStartAnywhereAndAreFull(String workload, int least, int most) throws Exception {
        loaded(SPEC);
        Measurement measured = measure(workload);
        assertEquals(ENTRIES / 3, measured.entries(), "ranges");
        assertEquals(ENTRIES * (4 + 20), measured.bytes(), "keys and values of all");
        assertEquals(5 * ENTRIES / 3, store.ranges.size(), "one that warms up, and four");
        Set<Integer> starts = new HashSet<>();
        for (List<Integer> range : store.ranges) {
            starts.add(range.get(0));
            assertEquals(3, range.get(1));
        }
        assertTrue(starts.size() > 5 && starts.stream().allMatch(s -> s >= least && s <= most));
        assertEquals(store.ranges.subList(0, 4), store.ranges.subList(16, 20), "they come again");
    }

    @Test
    void everyOtherFloorIsOfAKeyThatIsNotThere() throws Exception {
        loaded(SPEC);
        measure("readFloor");
        assertEquals(5 * ENTRIES, store.ranges.size());
        EntryFlyweight entry = data.entry();
        for (int turn = 0; turn < ENTRIES; turn += 2) {
            int there = entry.at(data.positionOfGet(turn)).rank();
            assertEquals(List.of(there, 1), store.ranges.get(turn));
        }
        assertEquals(
                5L * ENTRIES, store.calls.stream().filter(Call.DESCEND::equals).count());
    }

    @Test
    void aFloorOfSparseKeysIsTheEntryBefore() throws Exception {
        loaded(new CaseSpec(KeyKind.STRING, Order.RANDOM, 1_000, 20));
        assertDoesNotThrow(() -> measure("readFloor"));
        Data absent = data.absent(500);
        int between = IntStream.range(0, 500)
                .filter(p -> data.floorRank(absent.entry().at(p)) >= 0)
                .findFirst()
                .orElseThrow();
        put(absent.entry().at(between));
        assertWrong("readFloor");
    }

    @Test
    void allKeysAreGotInCallsOfSoMany() throws Exception {
        loaded(SPEC.with(Setting.RANGE, 5));
        Measurement measured = measure("multiGet");
        List<Integer> got = IntStream.range(0, 10)
                .map(turn -> data.entry().at(data.positionOfGet(turn)).rank())
                .boxed()
                .toList();
        assertEquals(10, measured.entries(), "two whole calls");
        assertEquals(got, store.gets.subList(0, 10));
        assertEquals(5 * 10, store.gets.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"readRange", "readRangeBack", "multiGet"})
    void aWrongValueIsSeen(String workload) throws Exception {
        loaded(SPEC);
        store.lie = Lie.WRONG_VALUE;
        store.liesAbout = data.entry().at(data.positionOfGet(0)).rank();
        store.lying.addAll(List.of(Call.GET, Call.ASCEND, Call.DESCEND));
        assertWrong(workload);
    }

    @Test
    void whatWasNeverWrittenMayNotCome() throws Exception {
        loaded(SPEC);
        assertDoesNotThrow(() -> measure("readMiss"));
        assertEquals(5 * ENTRIES, store.gets.size());
        put(data.absent(ENTRIES).entry().at(3));
        assertWrong("readMiss");
        assertWrong("readFloor");
    }

    private void put(EntryFlyweight entry) throws Exception {
        try (Store.Writer writer = database.db().writer()) {
            writer.put(entry);
        }
    }

    @Test
    void theOrderInWhichEntriesComeIsDigested() throws Exception {
        loaded(SPEC);
        SequenceSink there = new SequenceSink(data);
        SequenceSink back = new SequenceSink(data);
        there.accept(data.entry().at(1));
        there.accept(data.entry().at(2));
        back.accept(data.entry().at(2));
        back.accept(data.entry().at(1));
        assertThrows(WrongData.class, () -> back.check(there));
        back.reset();
        back.accept(data.entry().at(1).key(), data.entry().at(1).value());
        back.accept(data.entry().at(2));
        assertDoesNotThrow(() -> back.check(there), "in whichever form they come");
    }

    @Test
    void roundsDeleteHalfAtRandomAndWriteItAgain() throws Exception {
        loaded(SPEC);
        Measurement measured = measure("churn");
        assertEquals(1, measured.warmupNs().size());
        assertEquals(3, measured.passNs().size());
        assertEquals(ENTRIES, measured.entries(), "deletes and writes");
        assertEquals(4 * ENTRIES / 2, store.deletes.size());
        for (int from = 0; from < store.deletes.size(); from += ENTRIES / 2) {
            List<Integer> deleted = store.deletes.subList(from, from + ENTRIES / 2);
            assertEquals(Set.copyOf(deleted).size(), ENTRIES / 2);
            assertEquals(
                    Set.copyOf(deleted), Set.copyOf(store.puts.subList(from, from + ENTRIES / 2)));
        }
        assertTrue(Set.copyOf(store.deletes).size() > ENTRIES / 2, "another half each time");
        assertTrue(data.overwrites().furthest() > 1);
        assertDoesNotThrow(
                () -> measure("readKeyXxh64"), "all are there, with their newest values");
    }

    @Test
    void theOldestHalfIsDeletedForNewOnes() throws Exception {
        loaded(SPEC);
        measure("expire");
        List<Integer> written = IntStream.range(0, ENTRIES)
                .map(position -> data.entry().at(position).rank())
                .boxed()
                .toList();
        assertEquals(written, store.deletes.subList(0, ENTRIES));
        assertEquals(4 * ENTRIES / 2, store.deletes.size());
        assertDoesNotThrow(() -> measure("readKeyXxh64"), "it leaves a new database");
    }

    @ParameterizedTest
    @ValueSource(strings = {"churn", "expire"})
    void aRoundIsTimedWithoutWhatChecksIt(String workload) throws Exception {
        loaded(SPEC);
        store.naps.put(Call.WRITER, 10L);
        store.naps.put(Call.READER, 150L);
        Measurement measured = measure(workload);
        List<Observed.Round> rounds = measured.observed().rounds();
        assertEquals(4, rounds.size(), "that which warms up, too");
        for (int round = 1; round < rounds.size(); round++) {
            long parts = rounds.get(round).deleteNs() + rounds.get(round).writeNs();
            assertTrue(rounds.get(round).deleteNs() >= 10_000_000, "from its writer on");
            assertEquals(parts, measured.passNs().get(round - 1), 50e6);
            assertTrue(parts < 150_000_000, "ns: " + parts);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"churn", "expire"})
    void whatIsNotDeletedOrLostIsSeen(String workload) throws Exception {
        loaded(SPEC);
        for (Call call : List.of(Call.DELETE, Call.PUT, Call.GET)) {
            store.lying.clear();
            store.lying.add(call);
            assertWrong(workload);
            store.lying.clear();
            new Write().once(passes);
        }
    }
}
