package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import kv.NoCosts;
import kv.PlantedStore;
import kv.PlantedStore.Fault;
import kv.bench.Database;
import kv.bench.Measurement;
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
import kv.store.UserError;
import kv.workloads.Mix.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What mixes of operations do, and that a store which gets one of them wrong is caught. */
@Timeout(60)
class MixTest {

    private static final int ENTRIES = 2_000;
    private static final String EVERYTHING =
            "get-0.2_put-0.1_insert-0.2_delete-0.15_range-0.15_floor-0.1_modify-0.1";
    private static final CaseSpec SPEC = new CaseSpec(KeyKind.STRING, Order.RANDOM, ENTRIES, 100)
            .with(Setting.MIX, EVERYTHING) // for ownMix alone
            .with(Setting.RANGE, 20);

    @TempDir
    Path folder;

    private final PlantedStore store = new PlantedStore();
    private Data data;
    private Database database;
    private Passes passes;

    /** Of a store that goes wrong when it is loaded. */
    private Measurement measured(String workload, int threads, Fault fault) throws Exception {
        store.fault = Fault.NONE;
        CaseSpec spec = SPEC.with(Setting.THREADS, threads);
        data = Data.of(spec);
        database = new Database(store, spec, folder.resolve("db"));
        passes = new Passes(database, data, new Schedule(0, 2, 60), new NoCosts(), null);
        database.create();
        new Write().once(passes);
        store.fault = fault;
        return Workloads.named(workload).measure(passes);
    }

    @AfterEach
    void remove() throws Exception {
        if (database != null) {
            passes.close();
            database.remove();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ycsbA", "ycsbB", "ycsbC", "ycsbD", "ycsbE", "ycsbF", "ownMix"})
    void eachOperationIsTimedAndTheEntriesAreLeftAsTheyWere(String workload) throws Exception {
        for (int threads : List.of(1, 3)) {
            Measurement measured = measured(workload, threads, Fault.NONE);
            int operations = workload.equals("ycsbE") ? ENTRIES / 10 : ENTRIES;
            assertEquals(operations, measured.entries());
            assertEquals(2 * operations, measured.operations().ns().getTotalCount());
            ComparingSink all = ComparingSink.got(data);
            EntryFlyweight entry = data.entry();
            try (Store.Reader reader = database.db().reader()) {
                for (int turn = 0; turn < ENTRIES; turn++) {
                    reader.get(entry.at(data.positionOfGet(turn)), all);
                }
            }
            all.check();
            assertEquals(ENTRIES, store.size(), "what was inserted is taken out again");
            assertEquals(
                    List.of("ycsbA", "ycsbB", "ycsbF", "ownMix").contains(workload),
                    data.overwrites().count() > 1);
            remove();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ycsbA, LOSES_PUTS",
        "ycsbB, LOSES_PUTS",
        "ycsbF, LOSES_PUTS",
        "ycsbD, LOSES_PUTS",
        "ycsbA, READS_STALE",
        "ycsbB, READS_STALE",
        "ycsbF, READS_STALE",
        "ycsbC, READS_NOTHING",
        "ycsbD, READS_NOTHING",
        "ycsbE, LEAVES_OUT",
        "ycsbE, SWAPS",
        "ycsbE, ENDS_EARLY",
        "ycsbE, LOSES_PUTS",
        "ownMix, LOSES_PUTS",
        "ownMix, LOSES_DELETES",
        "ownMix, READS_NOTHING",
        "ownMix, ENDS_EARLY",
    })
    void aStoreThatGetsOneInTenWrongIsCaught(String workload, Fault fault) throws Exception {
        for (int threads : List.of(1, 3)) {
            assertThrows(WrongData.class, () -> measured(workload, threads, fault));
            remove();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ycsbA", "ycsbE"})
    void aReaderThatHasASnapshotIsOpenedForEachOperation(String workload) throws Exception {
        measured(workload, 2, Fault.NONE);
        int kept = store.readers.getAndSet(0);
        assertTrue(kept < 10, "readers: " + kept);
        remove();
        long operations = measured(workload, 2, Fault.SNAPSHOTS).entries();
        assertTrue(store.readers.get() > operations, "readers: " + store.readers);
    }

    @Test
    void aMixThatIsNoneIsRefused() {
        for (String mix : List.of("get", "get-2", "fetch-1.0", "get-0.5, put-0.5")) {
            var refused = assertThrows(UserError.class, () -> SPEC.with(Setting.MIX, mix));
            assertTrue(refused.getMessage().startsWith("mix is shares of get|put"));
        }
    }

    @Test
    void anOwnMixIsOfAsManyOperationsAsATrialHasTimeFor() {
        assertEquals(ENTRIES, new OwnMix().operations(SPEC));
        CaseSpec large = SPEC.withSize(1_000_000, 100);
        assertEquals(100_000, new OwnMix().operations(large.with(Setting.MIX, "get-1.0")));
        assertEquals(2_000, new OwnMix().operations(large.with(Setting.SYNC, "on")));
        CaseSpec ranges = large.with(Setting.MIX, "range-1.0").with(Setting.RANGE, 1_000);
        assertEquals(1_000, new OwnMix().operations(ranges), "which give a million entries");
    }

    @Test
    void operationsHaveTheirSharesAndThreadsTheirOwnEntries() {
        var recipe = Mix.Recipe.of(
                Map.of(
                        Kind.READ, 0.3,
                        Kind.UPDATE, 0.2,
                        Kind.INSERT, 0.1,
                        Kind.SCAN, 0.25,
                        Kind.MODIFY, 0.15),
                Mix.Choice.ZIPFIAN);
        int threads = 3;
        int operations = 20_000;
        for (int thread = 0; thread < threads; thread++) {
            var draw = new MixDraw(recipe, SPEC, thread, threads, operations);
            Map<Kind, Integer> found = new EnumMap<>(Kind.class);
            for (int turn = 0; turn < operations; turn++) {
                Kind kind = draw.kinds[turn];
                found.merge(kind, 1, Integer::sum);
                assertTrue(!kind.updates() || draw.items[turn] % threads == thread);
                assertEquals(kind == Kind.INSERT, draw.items[turn] >= ENTRIES);
                assertTrue(draw.limits[turn] >= 1 && draw.limits[turn] <= 100);
            }
            Map.of(
                            Kind.READ, 0.3,
                            Kind.UPDATE, 0.2,
                            Kind.INSERT, 0.1,
                            Kind.SCAN, 0.25,
                            Kind.MODIFY, 0.15)
                    .forEach((kind, share) ->
                            assertEquals(share * operations, found.get(kind), 0.02 * operations));
            assertEquals(found.get(Kind.INSERT), draw.inserts);
            var again = new MixDraw(recipe, SPEC, thread, threads, operations);
            assertArrayEquals(draw.items, again.items, "the same for every store");
        }
    }

    @Test
    void popularEntriesAreReadAsOftenAsTheirShareSays() {
        var reads = Mix.Recipe.of(Map.of(Kind.READ, 1.0), Mix.Choice.ZIPFIAN);
        var even = Mix.Recipe.of(Map.of(Kind.READ, 1.0), Mix.Choice.UNIFORM);
        int hundredth = ENTRIES / 100;
        // Of the ten billion items that are spread over the entries, as YCSB does
        double due = Zipfian.zeta(hundredth) / 26.469 + 0.009;
        assertEquals(due, shareOfMostPopular(reads, hundredth), 0.01);
        assertEquals(0.014, shareOfMostPopular(even, hundredth), 0.003, "chance");
    }

    private static double shareOfMostPopular(Mix.Recipe recipe, int most) {
        int[] drawn = new int[ENTRIES];
        var draw = new MixDraw(recipe, SPEC, 0, 1, 100_000);
        Arrays.stream(draw.items).forEach(item -> drawn[item]++);
        int[] sorted = IntStream.of(drawn).sorted().toArray();
        return Arrays.stream(sorted, ENTRIES - most, ENTRIES).sum() / 100_000.0;
    }

    @Test
    void theLatestAreWhatWasInsertedLast() {
        var recipe = Mix.Recipe.of(Map.of(Kind.READ, 0.9, Kind.INSERT, 0.1), Mix.Choice.LATEST);
        var draw = new MixDraw(recipe, SPEC, 0, 1, 20_000);
        int inserted = 0;
        int newest = 0;
        int reads = 0;
        for (int turn = 0; turn < draw.kinds.length; turn++) {
            if (draw.kinds[turn] == Kind.INSERT) {
                inserted++;
            } else {
                assertTrue(draw.items[turn] < ENTRIES + inserted, "it is there by then");
                newest += draw.items[turn] == ENTRIES + inserted - 1 ? 1 : 0;
                reads++;
            }
        }
        assertEquals(1 / Zipfian.zeta(ENTRIES), newest / (double) reads, 0.02);
    }
}
