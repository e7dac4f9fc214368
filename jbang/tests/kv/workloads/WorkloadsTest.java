package kv.workloads;

import static kv.workloads.Workloads.named;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import kv.NoCosts;
import kv.NoUpkeep;
import kv.WatchedStore;
import kv.WatchedStore.Call;
import kv.WatchedStore.Lie;
import kv.bench.Cost;
import kv.bench.CostMeter;
import kv.bench.Database;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Schedule;
import kv.bench.Workload;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Store;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each workload does with a store, what of it the clock sees, and that it is checked. */
@Timeout(60)
class WorkloadsTest {

    private static final int ENTRIES = 12;
    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.DENSE, ENTRIES, 20);
    private static final Set<Call> READS = Set.of(Call.ASCEND, Call.DESCEND);

    @TempDir
    Path folder;

    private final WatchedStore store = new WatchedStore();
    private Data data;
    private Database database;
    private Passes passes;

    /** Loads the entries; each workload then has one pass that warms up, and so many measured. */
    private Passes loaded(CaseSpec spec, int measured) throws Exception {
        data = Data.of(spec);
        database = new Database(store, spec, folder.resolve("db"));
        passes = passes(new Schedule(0, measured, 60), new NoCosts());
        database.create();
        new Write().once(passes);
        store.forget();
        return passes;
    }

    private Passes loaded() throws Exception {
        return loaded(SPEC, 1);
    }

    private Passes passes(Schedule schedule, CostMeter meter) {
        return new Passes(database, data, schedule, meter, new NoUpkeep(database, APART_MS));
    }

    /** As a trial does it. */
    private Measurement measure(String workload) throws Exception {
        return measure(workload, passes);
    }

    private Measurement measure(String workload, Passes with) throws Exception {
        Workload chosen = named(workload);
        if (chosen.loads()) {
            database.create();
        }
        return chosen.measure(with);
    }

    private void compare(Call way) throws Exception {
        ComparingSink sink =
                switch (way) {
                    case ASCEND -> ComparingSink.ascending(data);
                    case DESCEND -> ComparingSink.descending(data);
                    default -> ComparingSink.got(data);
                };
        try (Store.Reader reader = database.db().reader()) {
            switch (way) {
                case ASCEND -> reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, sink);
                case DESCEND -> reader.scan(null, Store.Reader.ALL, Direction.BACKWARDS, sink);
                default -> {
                    EntryFlyweight entry = data.entry();
                    for (int turn = 0; turn < ENTRIES; turn++) {
                        reader.get(entry.at(data.positionOfGet(turn)), sink);
                    }
                }
            }
            sink.check();
        }
    }

    private static CaseSpec threads(int threads) {
        return SPEC.with(Setting.THREADS, threads);
    }

    @AfterEach
    void remove() throws Exception {
        if (database != null) {
            passes.close();
            database.remove();
        }
    }

    private List<Integer> written() {
        EntryFlyweight entry = data.entry();
        return IntStream.range(0, ENTRIES).map(p -> entry.at(p).rank()).boxed().toList();
    }

    private List<Integer> got() {
        EntryFlyweight entry = data.entry();
        return IntStream.range(0, ENTRIES)
                .map(turn -> entry.at(data.positionOfGet(turn)).rank())
                .boxed()
                .toList();
    }

    private static List<Integer> sorted(List<Integer> numbers) {
        return numbers.stream().sorted().toList();
    }

    private static List<Integer> twice(List<Integer> numbers) {
        return IntStream.range(0, 2 * numbers.size())
                .mapToObj(i -> numbers.get(i % numbers.size()))
                .toList();
    }

    private List<Call> reads() {
        return store.calls.stream().filter(READS::contains).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"readSeq", "readRev", "readCrc", "readXxh64", "readSeqAged"})
    void aScanGoesItsWay(String scan) throws Exception {
        Call way = scan.equals("readRev") ? Call.DESCEND : Call.ASCEND;
        loaded();
        measure(scan);
        assertEquals(List.of(way, way), reads(), "one that warms up, and one measured");
        assertEquals(List.of(), store.gets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"readSeq", "readRev", "readCrc", "readXxh64"})
    void everyThreadScansAll(String scan) throws Exception {
        Call way = scan.equals("readRev") ? Call.DESCEND : Call.ASCEND;
        loaded(threads(3), 1);
        Measurement measured = measure(scan);
        assertEquals(Collections.nCopies(6, way), reads());
        assertEquals(3 * ENTRIES, measured.entries());
        assertEquals(3 * ENTRIES * (4 + 20), measured.bytes(), "keys and values");
    }

    @ParameterizedTest
    @ValueSource(strings = {"readKey", "readKeyXxh64", "readKeyAged", "getService"})
    void everyEntryIsGotInTheOrderOfWriting(String get) throws Exception {
        loaded();
        Measurement measured = measure(get);
        assertEquals(twice(got()), store.gets);
        assertEquals(List.of(), reads());
        assertEquals(2, store.calls.stream().filter(Call.FLUSH::equals).count());
        assertEquals(ENTRIES * (4 + 20), measured.bytes(), "keys and values");
    }

    @Test
    void whatIsGotAsItWasWrittenIsGotInThatOrder() throws Exception {
        loaded();
        measure("readKeyWritten");
        assertEquals(twice(written()), store.gets);
        assertEquals(2, store.calls.stream().filter(Call.FLUSH::equals).count());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void threadsGetEveryEntryOnce(int threads) throws Exception {
        loaded(threads(threads), 1);
        measure("readKey");
        assertEquals(sorted(twice(written())), sorted(store.gets));
        assertEquals(
                2 * threads, store.calls.stream().filter(Call.FLUSH::equals).count());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void aLoadWritesEveryEntryOnceIntoANewDatabase(int threads) throws Exception {
        loaded(threads == 0 ? SPEC : threads(threads), 2);
        measure("write");
        int last = 2 * ENTRIES; // after a part that warms up
        List<Integer> all = store.puts.subList(store.puts.size() - last, store.puts.size());
        assertEquals(sorted(twice(written())), sorted(all));
        assertEquals(threads < 2 ? twice(written()) : all, all, "in the order of writing");
        assertEquals(
                3 * Math.max(1, threads),
                store.calls.stream().filter(Call.WRITER::equals).count(),
                "a writer in each thread");
        assertEquals(
                2 * 3,
                store.calls.stream().filter(Call.OPEN::equals).count(),
                "a new one, and for reading, in each pass");
        assertDoesNotThrow(() -> compare(Call.GET));
    }

    @Test
    void aLoadWarmsUpWithAPartThatGrows() throws Exception {
        int entries = 6_400;
        CaseSpec spec = new CaseSpec(KeyKind.INT, Order.DENSE, entries, 20);
        loaded(spec, 1);
        store.naps.put(Call.OPEN, 30L); // so that there are two or three
        try (var slow = passes(new Schedule(0.1, 1, 0), new NoCosts())) {
            int passes = measure("write", slow).warmupNs().size();
            assertTrue(passes > 1, "passes: " + passes);
            int more = store.puts.size() - 2 * entries;
            assertEquals(100 + (passes - 2) * entries, more, "a 64th, and then all");
        }
    }

    @Test
    void thePartThatWarmsUpGrowsAsTheTimeForItAllows() throws Exception {
        int entries = 6_400;
        loaded(new CaseSpec(KeyKind.INT, Order.DENSE, entries, 20), 1);
        Schedule schedule = new Schedule(0.4, 1, 60);
        try (var scheduled = passes(schedule, new NoCosts())) {
            LoadPass pass = new LoadPass(new Write(), scheduled);
            store.naps.put(Call.COMMIT, 250L);
            pass.warmUp();
            assertEquals(entries / 64, store.puts.size());
            store.naps.clear();
            pass.after();
            pass.warmUp();
            int times = store.puts.size() / (entries / 64) - 1;
            assertTrue(times > 1 && times <= 16, "10 x 0.4 s over 0.25 s: " + times);
        }
    }

    @Test
    void itsThreadsEndWhenItIsClosed() throws Exception {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        loaded(threads(3), 1);
        List<Thread> own = Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("pool-") && !others.contains(each))
                .toList();
        assertEquals(3, own.size());
        passes.close();
        for (Thread each : own) {
            each.join(10_000);
            assertFalse(each.isAlive());
        }
    }

    @Test
    void theRateOfAWriterBesideReadersIsThatOfTheMeasuredPasses() throws Exception {
        loaded(threads(2).with(Setting.WRITES, 500), 1);
        store.naps.put(Call.GET, 10L);
        try (var pass = new ThreadsReadPass(new ReadKey(), passes)) {
            pass.before();
            pass.timed();
            pass.after();
            assertEquals(500, pass.observed().writesPerSecond(), 250);
            pass.warmedUp();
            assertTrue(Double.isNaN(pass.observed().writesPerSecond()), "none is measured yet");
        }
    }

    @Test
    void costsAreReadAroundEachPassThatPrepares() throws Exception {
        loaded();
        AtomicInteger resumed = new AtomicInteger();
        CostMeter meter = new CostMeter() {
            @Override
            public void begin() {}

            @Override
            public void resume() {
                resumed.incrementAndGet();
            }

            @Override
            public void pause() {}

            @Override
            public Cost total() {
                return null;
            }
        };
        try (var counted = passes(new Schedule(0, 3, 60), meter)) {
            measure("write", counted);
            assertEquals(3, resumed.getAndSet(0));
            measure("readLukewarm", counted);
            assertEquals(3, resumed.getAndSet(0));
            measure("readKey", counted);
            measure("overwrite", counted);
            assertEquals(0, resumed.get());
        }
    }

    @Test
    void aLoadInTheOrderOfKeysIsOfOneThread() throws Exception {
        loaded(threads(3).with(Setting.LOAD, "sequential"), 1);
        measure("write");
        List<Integer> all = store.puts.subList(store.puts.size() - ENTRIES, store.puts.size());
        assertEquals(IntStream.range(0, ENTRIES).boxed().toList(), all);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void overwritingWritesEveryEntryBackwardsUntilTheDatabaseIsAged(int passes) throws Exception {
        loaded(SPEC, passes);
        Measurement measured = measure("overwrite");
        List<Integer> backwards = new ArrayList<>(written());
        Collections.reverse(backwards);
        int times = Math.max(3, 1 + passes);
        assertEquals(passes, measured.passNs().size());
        assertEquals(times * ENTRIES, store.puts.size());
        Data renewed = Data.of(SPEC);
        IntStream.range(0, times).forEach(time -> renewed.renew());
        byte[] newest = renewed.entry().at(0).newValue();
        assertArrayEquals(newest, data.entry().at(0).newValue(), "new values each time");
        for (int time = 0; time < times; time++) {
            assertEquals(backwards, store.puts.subList(time * ENTRIES, (time + 1) * ENTRIES));
        }
    }

    @Test
    void halfIsDeletedAndTheOthersAreThere() throws Exception {
        loaded();
        Measurement measured = measure("deleteHalf");
        assertEquals(ENTRIES / 2, measured.entries());
        assertEquals(2 * ENTRIES / 2, store.deletes.size(), "to warm up, and measured");
        assertEquals(ENTRIES / 2, Set.copyOf(store.deletes).size(), "the same half");
        assertDoesNotThrow(() -> compare(Call.GET), "it leaves a database with all of them");
        store.lying.add(Call.DELETE);
        assertThrows(WrongData.class, () -> measure("deleteHalf"), "which deletes nothing");
        store.lying.clear();
        store.lying.add(Call.GET);
        assertThrows(WrongData.class, () -> measure("deleteHalf"), "which loses others");
    }

    /** The calls by which a workload reads. */
    private static Call callOf(Workload workload) {
        return workload.needs().contains(Capability.SCAN)
                ? Call.ASCEND
                : workload.needs().contains(Capability.SCAN_BACKWARDS) ? Call.DESCEND : Call.GET;
    }

    /** Of mixes MixTest has the faults. */
    private static boolean reads(Workload workload) {
        return !workload.loads()
                && workload.leaves() == Workload.Leaves.THE_SAME
                && !(workload instanceof Mix)
                && !workload.name().equals("readMiss"); // of which nothing can be missing
    }

    @Test
    void whatIsMissingFailsThePassThatReadsIt() throws Exception {
        loaded();
        measure("getService"); // from which a rate follows
        store.liesAbout = ENTRIES - 1; // the last, which is also that before every absent key
        for (Workload workload :
                Workloads.of(store).stream().filter(WorkloadsTest::reads).toList()) {
            store.lying.clear();
            assertDoesNotThrow(() -> measure(workload.name()), workload::toString);
            store.lying.add(callOf(workload));
            assertThrows(WrongData.class, () -> measure(workload.name()), workload::toString);
        }
    }

    @Test
    void whatIsMissingInAThreadFailsThePassThatReadsIt() throws Exception {
        for (CaseSpec spec : List.of(threads(3), threads(2).with(Setting.WRITES, 100))) {
            store.lying.clear();
            loaded(spec, 1);
            for (Workload workload : Workloads.ALL.stream()
                    .filter(each -> reads(each) && each.impossible(spec) == null)
                    .toList()) {
                store.lying.clear();
                assertDoesNotThrow(() -> measure(workload.name()), workload::toString);
                store.lying.add(callOf(workload));
                assertThrows(WrongData.class, () -> measure(workload.name()), workload::toString);
            }
            remove();
        }
    }

    @Test
    void aWrongValueIsSeenByEveryChecksum() throws Exception {
        loaded();
        store.lie = Lie.WRONG_VALUE;
        store.lying.addAll(List.of(Call.GET, Call.ASCEND));
        for (String workload : List.of("readCrc", "readXxh64", "readKeyXxh64")) {
            assertThrows(WrongData.class, () -> measure(workload), workload);
        }
        assertDoesNotThrow(() -> measure("readKey"), "which looks into no value");
    }

    @Test
    void everyWayOfReadingIsCompared() throws Exception {
        loaded();
        store.lie = Lie.WRONG_VALUE;
        for (Call way : List.of(Call.GET, Call.ASCEND, Call.DESCEND)) {
            store.lying.clear();
            assertDoesNotThrow(() -> compare(way));
            store.lying.add(way);
            assertThrows(WrongData.class, () -> compare(way));
            store.lie = Lie.MISSING;
            assertThrows(WrongData.class, () -> compare(way));
            store.lie = Lie.WRONG_VALUE;
        }
    }

    @Test
    void theLastThatIsMissingIsMissed() throws Exception {
        loaded();
        store.lying.addAll(List.of(Call.GET, Call.ASCEND, Call.DESCEND));
        Map.of(Call.GET, got().get(ENTRIES - 1), Call.ASCEND, ENTRIES - 1, Call.DESCEND, 0)
                .forEach((way, number) -> {
                    store.liesAbout = number;
                    assertThrows(WrongData.class, () -> compare(way));
                });
    }

    @Test
    void aLoadForgetsWhatWasOverwrittenBesideReaders() throws Exception {
        loaded(threads(2).with(Setting.WRITES, 10_000), 1);
        store.naps.put(Call.GET, 1L); // the writer has its turn meanwhile
        measure("readKey");
        assertTrue(data.overwrites().count() > 0, "some are overwritten");
        assertDoesNotThrow(() -> compare(Call.GET));
        measure("write");
        assertEquals(0, data.overwrites().count());
        assertDoesNotThrow(() -> compare(Call.GET));
    }

    @Test
    void aWriterThatFailsBesideReadersFailsThePass() throws Exception {
        loaded(threads(1).with(Setting.WRITES, 100_000), 3);
        store.naps.put(Call.GET, 1L); // the writer has its turn meanwhile
        store.failure = new IllegalStateException("full");
        assertSame(
                store.failure, assertThrows(IllegalStateException.class, () -> measure("readKey")));
    }

    // --- the clock ---

    private static final long APART_MS = 120; // of what the clock must not see; more is tolerated
    private static final long TOLERANCE_MS = 100;

    private void napOutside(Call... calls) {
        for (Call call : calls) {
            store.naps.put(call, APART_MS);
        }
    }

    /** That every pass took as long, and the shortest hardly longer: a machine has other work. */
    private static void assertTook(long ms, Measurement measured) {
        long shortest = Collections.min(measured.passNs());
        assertTrue(
                shortest >= ms * 1_000_000 && shortest < (ms + TOLERANCE_MS) * 1_000_000,
                measured.workload() + " took " + shortest / 1e6 + " ms, not " + ms);
    }

    @Test
    void aLoadIsTimedFromItsWriterToItsCloseAndInParts() throws Exception {
        loaded(SPEC, 3);
        napOutside(Call.OPEN);
        store.naps.putAll(
                Map.of(Call.WRITER, 30L, Call.PUT, 5L, Call.COMMIT, 30L, Call.CLOSE, 45L));
        Measurement write = measure("write");
        assertTook(30 + 5 * ENTRIES + 30 + 45, write);
        assertEquals(3, write.observed().commitNs().size());
        assertEquals(3, write.observed().closeNs().size());
        assertEquals(30, Collections.min(write.observed().commitNs()) / 1e6, 10);
        assertEquals(45, Collections.min(write.observed().closeNs()) / 1e6, 10);
        assertTook(30 + 5 * ENTRIES + 30, measure("overwrite"));
        napOutside(Call.WRITER, Call.COMMIT);
        Measurement service = measure("putService");
        assertEquals(3 * ENTRIES, service.operations().ns().getTotalCount());
        assertTrue(service.operations().ns().getMinValue() >= 0.98 * 5e6);
        assertTrue(
                service.operations().ns().getValueAtPercentile(90) < APART_MS * 1e6,
                "opening and committing are no put");
        assertEquals(APART_MS, Collections.min(service.observed().commitNs()) / 1e6, 10);
    }

    @Test
    void readsAreTimedWithoutOpeningTheirReader() throws Exception {
        loaded(SPEC, 3);
        napOutside(Call.READER, Call.CLOSE_READER);
        store.naps.putAll(
                Map.of(Call.GET, 5L, Call.FLUSH, 20L, Call.ASCEND, 30L, Call.DESCEND, 60L));
        assertTook(5 * ENTRIES + 20, measure("readKey"));
        assertTook(5 * ENTRIES + 20, measure("readKeyXxh64"));
        Measurement scan = measure("readSeq");
        assertTook(30, scan);
        assertTrue(scan.warmupNs().get(0) >= 30_000_000, "warming up is timed, too");
        assertTook(60, measure("readRev"));
        Measurement service = measure("getService");
        assertTook(5 * ENTRIES + 20, service);
        assertTrue(service.operations().ns().getMinValue() >= 0.98 * 5e6);
    }

    @Test
    void threadsAreTimedWithoutOpeningTheirReaders() throws Exception {
        loaded(threads(3), 3);
        napOutside(Call.READER, Call.CLOSE_READER);
        store.naps.putAll(Map.of(Call.GET, 15L, Call.FLUSH, 20L));
        assertTook(15 * ENTRIES / 3 + 20, measure("readKey"));
    }

    @Test
    void whatIsReopenedIsClosedUntilTheClockStarts() throws Exception {
        loaded(SPEC, 2);
        measure("readCold");
        List<Call> pass =
                List.of(Call.CLOSE, Call.OPEN, Call.READER, Call.FLUSH, Call.CLOSE_READER);
        for (int at = 0; at < store.calls.size(); at += pass.size()) {
            assertEquals(pass, store.calls.subList(at, at + pass.size()));
        }
        assertEquals(3 * pass.size(), store.calls.size(), "one that warms up, and two measured");
    }

    @Test
    void openingIsTimedWhereItIsWhatIsMeasuredAndClosingIsNot() throws Exception {
        loaded(SPEC, 3);
        napOutside(Call.CLOSE);
        store.naps.putAll(
                Map.of(Call.OPEN, 40L, Call.READER, 30L, Call.GET, 5L, Call.CLOSE_READER, 20L));
        assertTook(40 + 30 + 5 * ENTRIES + 20, measure("readCold"));
    }
}
