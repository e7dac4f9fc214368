package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import kv.MapStore;
import kv.WatchedStore;
import kv.bench.Measurement;
import kv.bench.Settle;
import kv.bench.Workload;
import kv.bench.WrongData;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.UserError;
import kv.workloads.Workloads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store measured by hand and as a trial, from its load to the comparison of all entries. */
class BenchTest {

    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.DENSE, 500, 20);

    private static final List<String> EVERY = Workloads.of(new MapStore()).stream()
            .filter(each -> each.impossible(SPEC) == null)
            .filter(each -> !each.asksForAbsentKeys()) // of a control
            .map(Workload::name)
            .toList();

    @TempDir
    Path folder;

    /** A store of which one value is wrong. */
    private static final class WrongStore extends MapStore {
        @Override
        protected byte[] stored(Entry entry) {
            byte[] value = entry.newValue();
            value[0] ^= entry.rank() == 77 ? 1 : 0;
            return value;
        }
    }

    /** A store that deletes nothing. */
    private static final class KeepingStore extends MapStore {
        @Override
        public Db open(Path directory, CaseSpec spec) throws Exception {
            Db db = super.open(directory, spec);
            return new Db() {
                @Override
                public Writer writer() throws Exception {
                    Writer writer = db.writer();
                    return new Writer() {
                        @Override
                        public void put(Entry entry) throws Exception {
                            writer.put(entry);
                        }

                        @Override
                        public void close() throws Exception {
                            writer.close();
                        }
                    };
                }

                @Override
                public Reader reader() throws Exception {
                    return db.reader();
                }

                @Override
                public void close() throws Exception {
                    db.close();
                }
            };
        }
    }

    private Bench bench(MapStore store, CaseSpec spec) throws Exception {
        Bench bench = new Bench(store, spec, Profile.SMOKE, folder.resolve("db"));
        bench.load();
        bench.settle();
        return bench;
    }

    @Test
    void aWorkloadIsTimedByHand() throws Exception {
        try (Bench bench = bench(new MapStore(), SPEC)) {
            for (String workload : EVERY) {
                Measurement measured = bench.time(workload);
                int warmUps = workload.equals("compact") ? 0 : 1;
                assertEquals(warmUps, measured.warmupNs().size(), "as the profile says");
                assertTrue(measured.passNs().size() >= 1
                        && measured.passNs().size() <= Profile.SMOKE.iterations);
                assertTrue(measured.entries() > 0);
                assertTrue(measured.nsPerEntry() > 0);
            }
        }
        assertFalse(Files.exists(folder.resolve("db")), "scratch is removed");
    }

    @Test
    void whatCannotBeTimedIsASentence() throws Exception {
        assertEquals(
                "Map cannot run this case: does not compress",
                assertThrows(
                                UserError.class,
                                () -> Bench.open(
                                        new MapStore(), SPEC.with(Setting.COMPRESSION, "on")))
                        .getMessage());
        try (Bench bench = bench(new MapStore(), SPEC)) {
            assertThrows(UserError.class, () -> bench.time("read"));
            assertThrows(UserError.class, () -> bench.time("generate"));
            assertThrows(UserError.class, () -> bench.time("readKeyAged"));
        }
    }

    @Test
    void aWrongValueIsFoundWhenTheBenchIsClosed() throws Exception {
        Bench bench = bench(new WrongStore(), SPEC);
        assertEquals(500, bench.time("readSeq").entries(), "whose sink looks into no value");
        assertThrows(WrongData.class, () -> bench.time("readCrc"));
        assertThrows(WrongData.class, bench::close);
        assertFalse(Files.exists(folder.resolve("db")));
    }

    private Trial.Case run(MapStore store, CaseSpec spec, String... workloads) throws Exception {
        return new CaseRun(
                        store,
                        spec,
                        Profile.SMOKE,
                        folder.resolve("db"),
                        0,
                        new HashMap<>(),
                        new ArrayList<String>()::add)
                .measured(Stream.of(workloads).map(Workloads::named).toList());
    }

    @Test
    void aTrialHasAResultForEachWorkload() throws Exception {
        Trial.Case measured = run(new MapStore(), SPEC, EVERY.toArray(String[]::new));
        assertEquals(EVERY.size(), measured.results().size());
        for (Trial.Result result : measured.results()) {
            assertEquals(Trial.Status.OK, result.status(), result::reason);
            assertEquals(
                    result.workload().matches(".*(Service|Response|Writer)|ycsb.|ownMix|commit.*"),
                    result.singles() != null);
            long each = result.workload().startsWith("readRange") ? 100 * 24 : 24;
            assertEquals(result.entries() * each, result.userBytes());
        }
        assertTrue(measured.settle() != null
                && measured.space().openBytes() != null
                && measured.space().agedBytes() != null);
        assertFalse(Files.exists(folder.resolve("db")));
    }

    @Test
    void aStoreWithoutALoaderIsMeasuredWithoutIt() throws Exception {
        String[] all = {"write", "bulkLoad", "readSeq"};
        List<Trial.Result> results = run(new WatchedStore(), SPEC, all).results();
        assertEquals(Trial.Status.NA, results.get(0).status());
        assertEquals("has no loader for sorted entries", results.get(0).reason());
        assertEquals(Trial.Status.OK, results.get(1).status());
        assertEquals(Trial.Status.OK, results.get(2).status());
        results = run(new WatchedStore(), SPEC, "bulkLoad", "readSeq").results();
        assertEquals(Trial.Status.OK, results.get(1).status(), "it is loaded all the same");
    }

    @Test
    void oneWrongValueFailsEveryResult() throws Exception {
        Trial.Case measured = run(new WrongStore(), SPEC, "write", "readSeq");
        for (Trial.Result result : measured.results()) {
            assertEquals(Trial.Status.FAILED, result.status());
            assertTrue(
                    result.reason().startsWith("wrong data: a wrong value came back as entry "),
                    result.reason());
            assertEquals(List.of(), result.iterationNs());
            assertEquals(500 * 24, result.userBytes(), "keys and values");
        }
    }

    /** What a store gets wrong in one call only, which no pass looks at so closely as to see it. */
    private List<Trial.Result> wrong(WatchedStore.Call call, CaseSpec spec, String... workloads)
            throws Exception {
        WatchedStore store = new WatchedStore();
        store.lie = WatchedStore.Lie.WRONG_VALUE;
        store.lying.add(call);
        return run(store, spec, workloads).results();
    }

    @Test
    void everyWayThatWorkloadsReadIsComparedInTheEnd() throws Exception {
        for (CaseSpec spec : List.of(SPEC, SPEC.with(Setting.THREADS, 2))) {
            for (var way : Map.of(
                            "readKey", WatchedStore.Call.GET,
                            "readSeq", WatchedStore.Call.ASCEND,
                            "readRev", WatchedStore.Call.DESCEND)
                    .entrySet()) {
                String workload = way.getKey();
                WatchedStore.Call call = way.getValue();
                for (Trial.Result result : wrong(call, spec, "write", workload)) {
                    assertEquals(Trial.Status.FAILED, result.status(), workload);
                    assertTrue(
                            result.reason().startsWith("wrong data: a wrong value came back"),
                            result.reason());
                }
            }
        }
        assertEquals(
                Trial.Status.OK,
                wrong(WatchedStore.Call.DESCEND, SPEC, "readSeq").get(0).status(),
                "what no workload uses is not asked for");
        assertEquals(
                Trial.Status.FAILED,
                wrong(WatchedStore.Call.GET, SPEC, "readSeq").get(0).status(),
                "a load is always read by key");
    }

    @Test
    void theLastComparisonLeavesNoReaderOpenAndRemovesTheDatabase() throws Exception {
        WatchedStore store = new WatchedStore();
        run(store, SPEC, EVERY.toArray(String[]::new));
        run(store, SPEC.with(Setting.THREADS, 3).with(Setting.WRITES, 1_000), "readKey");
        for (var pair : Map.of(
                        WatchedStore.Call.OPEN, WatchedStore.Call.CLOSE,
                        WatchedStore.Call.READER, WatchedStore.Call.CLOSE_READER,
                        WatchedStore.Call.WRITER, WatchedStore.Call.COMMIT)
                .entrySet()) {
            assertEquals(
                    store.calls.stream().filter(pair.getKey()::equals).count(),
                    store.calls.stream().filter(pair.getValue()::equals).count(),
                    () -> pair.getKey() + " and " + pair.getValue());
        }
        assertFalse(Files.exists(folder.resolve("db")));
    }

    @Test
    void settlingTimesTheClosingAndCountsItsSpace() throws Exception {
        WatchedStore store = new WatchedStore();
        store.naps.put(WatchedStore.Call.CLOSE, 80L);
        store.naps.put(WatchedStore.Call.OPEN, 300L);
        double seconds = run(store, SPEC, "write").settle().closeSeconds();
        assertTrue(seconds >= 0.08 && seconds < 0.3, "seconds: " + seconds);
    }

    /**
     * A store with files: 1 MiB of log while it is open; when it is closed, 64 KiB of data for each
     * time that all entries were written. Whoever opens a reader reads the data.
     */
    private static final class FileStore extends MapStore {

        private static final int STEP = 64 << 10;
        private int puts;

        @Override
        protected byte[] stored(Entry entry) {
            puts++;
            return super.stored(entry);
        }

        @Override
        public Db open(Path directory, CaseSpec spec) throws Exception {
            Path log = directory.resolve("log");
            Path written = directory.resolve("data");
            puts = Files.exists(written) ? puts : 0;
            Db db = super.open(directory, spec);
            write(log, 16 * STEP);
            return new Db() {
                @Override
                public Writer writer() throws Exception {
                    return db.writer();
                }

                @Override
                public Reader reader() throws Exception {
                    Files.readAllBytes(written);
                    return db.reader();
                }

                @Override
                public void close() throws Exception {
                    Files.delete(log);
                    write(written, puts / spec.entries() * STEP);
                }
            };
        }

        private static void write(Path file, int bytes) throws Exception {
            byte[] random = new byte[bytes];
            new Random(bytes).nextBytes(random);
            Files.write(
                    file,
                    random,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DSYNC);
        }
    }

    @Test
    void spaceIsCountedBeforeTheClosingAndAfterItAndWhenAged() throws Exception {
        Trial.Space space = run(new FileStore(), SPEC, "write", "overwrite").space();
        long step = FileStore.STEP;
        assertEquals((16 + 1) * step, space.openBytes(), step / 4.0, "its log, and what it wrote");
        assertEquals(step, space.closedBytes(), step / 4.0);
        assertEquals(4 * step, space.agedBytes(), step / 4.0, "once loaded, thrice overwritten");
        try (Bench bench = bench(new FileStore(), SPEC)) {
            assertEquals(step, bench.closedBytes(), step / 4.0);
        }
    }

    @Test
    void aColdReadComesFromTheDeviceAndALukewarmOneDoesNot() throws Exception {
        Path file = folder.resolve("file");
        FileStore.write(file, FileStore.STEP);
        Probe.evict(folder);
        Probe.Counters before = Probe.counters();
        Files.readAllBytes(file);
        Long read = Probe.Counters.NONE.plus(before, Probe.counters()).osReadBytes();
        assumeTrue(read != null && read >= FileStore.STEP, "the system counts what it reads");
        List<Trial.Result> results =
                run(new FileStore(), SPEC, "readLukewarm", "readCold").results();
        assertTrue(results.get(0).osReadBytes() < FileStore.STEP);
        int passes = results.get(1).iterationNs().size();
        assertTrue(results.get(1).osReadBytes() >= passes * FileStore.STEP);
    }

    /** A store that goes on working after a load. */
    private static final class BusyStore extends MapStore {

        @Override
        protected void afterLoad() {
            new Thread(() -> ProbeTest.burn(300)).start();
        }
    }

    @Test
    void whatALoadLeavesToBeDoneIsCountedFromItsEnd() throws Exception {
        Bench bench = new Bench(new BusyStore(), SPEC, Profile.SMOKE, folder.resolve("db"));
        bench.load();
        Settle settle = bench.settle().settle();
        bench.remove();
        long cpu = settle.cpuUserNs() + settle.cpuSystemNs();
        assertTrue(cpu >= 100e6, "CPU: " + cpu);
    }

    @Test
    void whatAStoreLacksIsNoFailure() throws Exception {
        Trial.Case measured = run(new MapStore(), SPEC.with(Setting.BATCH, 3), "write");
        assertEquals(Trial.Status.NA, measured.results().get(0).status());
        assertEquals("has no setting batch", measured.results().get(0).reason());
        assertNull(measured.settle());
        Trial.Result aged = run(new MapStore(), SPEC.with(Setting.LOAD, "sequential"), "overwrite")
                .results()
                .get(0);
        assertEquals(Trial.Status.NA, aged.status());
    }

    @Test
    void agedReadsNeedAnOverwrittenDatabase() throws Exception {
        Trial.Result result = run(new MapStore(), SPEC, "readKeyAged").results().get(0);
        assertEquals(Trial.Status.FAILED, result.status());
        assertEquals("the database has not been overwritten before", result.reason());
    }

    @Test
    void whatCannotBeAgedIsNotReadAgedEither() throws Exception {
        for (Trial.Result each : run(
                        new KeepingStore(), SPEC, "write", "churn", "readKeyAged", "compact")
                .results()
                .subList(1, 4)) {
            assertEquals(Trial.Status.NA, each.status(), each::workload);
            assertEquals("cannot delete", each.reason());
        }
    }

    @Test
    void threadsShareGetsAndEachScansAllWhileOneMoreWrites() throws Exception {
        CaseSpec shared = SPEC.with(Setting.THREADS, 3).with(Setting.WRITES, 1_000);
        List<Trial.Result> results =
                run(new MapStore(), shared, "write", "readKey", "readSeq").results();
        results.forEach(result -> assertEquals(Trial.Status.OK, result.status(), result::reason));
        assertEquals(
                List.of(500L, 500L, 1_500L),
                results.stream().map(Trial.Result::entries).toList());
        assertTrue(results.get(1).observed().writesPerSecond() >= 0);
        assertEquals(
                500L * results.get(1).iterationNs().size(),
                results.get(1).singles().count());
        assertNull(results.get(2).singles());
    }
}
