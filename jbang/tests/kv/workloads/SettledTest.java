package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kv.MapStore;
import kv.NoCosts;
import kv.NoUpkeep;
import kv.bench.Database;
import kv.bench.Measurement;
import kv.bench.OverTime;
import kv.bench.Passes;
import kv.bench.Schedule;
import kv.bench.Workload;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.Unavailable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Puts into a settled store, gets beside a writer, commits to a loaded one, and openings. */
@Timeout(60)
class SettledTest {

    private static final int ENTRIES = 400;
    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.RANDOM, ENTRIES, 20);
    private static final CaseSpec BESIDE =
            SPEC.with(Setting.THREADS, 2).with(Setting.WRITES, 20_000);

    @TempDir
    Path folder;

    private Data data;
    private Database database;

    private Measurement measure(Workload workload, Store store, CaseSpec spec) throws Exception {
        data = Data.of(spec);
        database = new Database(store, spec, folder.resolve("db"));
        Schedule schedule = new Schedule(0, 1, 0, 0.55);
        try (var passes =
                new Passes(database, data, schedule, new NoCosts(), new NoUpkeep(database, 0))) {
            database.create();
            new Write().once(passes);
            return workload.measure(passes);
        }
    }

    /** How many values were put of each key, in order. */
    private static final class Counting extends MapStore {

        final Map<Integer, List<byte[]>> put = new HashMap<>();

        @Override
        protected byte[] stored(Entry entry) {
            byte[] value = entry.newValue();
            put.computeIfAbsent(((EntryFlyweight) entry).number(), key -> new ArrayList<>())
                    .add(value);
            return value;
        }
    }

    @Test
    void halfIsLoadedAndTheOthersAreInsertedOverTime() throws Exception {
        Counting store = new Counting();
        Measurement measured = measure(new PutSettled(), store, SPEC);
        OverTime time = measured.observed().overTime();
        assertEquals(5, time.counts().size(), "of 0.55 s");
        int counted = time.counts().stream().mapToInt(Integer::intValue).sum();
        assertTrue(counted > 0 && counted <= measured.entries());
        assertTrue(time.inserted() > ENTRIES / 4 && time.inserted() <= ENTRIES / 2);
        assertTrue(time.longestNs() > 0 && time.longestNs() <= measured.passNs().get(0));
        assertEquals(0, measured.entries() % CommittedWriter.BATCH);
        long put = store.put.values().stream().mapToInt(List::size).sum();
        int loads = ENTRIES + ENTRIES / 2 + (ENTRIES / 2 - time.inserted());
        assertEquals(loads + CommittedWriter.BATCH + measured.entries(), put, "and to warm up");
        VerifyingSink sink = ComparingSink.ascending(data);
        database.db().reader().scan(null, Store.Reader.ALL, Direction.FORWARDS, sink);
        sink.check();
    }

    /** Keeps the value of each key that it was given first. */
    private static final class FirstWins extends MapStore {

        private final Map<Integer, byte[]> first = new HashMap<>();

        @Override
        protected synchronized byte[] stored(Entry entry) {
            return first.computeIfAbsent(
                    ((EntryFlyweight) entry).number(), key -> entry.newValue());
        }
    }

    @Test
    void aLostOverwriteIsSeen() {
        assertThrows(WrongData.class, () -> measure(new PutSettled(), new FirstWins(), SPEC));
        assertThrows(
                WrongData.class, () -> measure(new GetBesideWriter(), new FirstWins(), BESIDE));
    }

    @Test
    void commitsAndOpeningsSeeALostOverwriteToo() throws Exception {
        for (Workload workload : List.of(new Commit10(), new OpenKilled())) {
            assertThrows(WrongData.class, () -> measure(workload, new FirstWins(), SPEC));
        }
        Measurement commits = measure(new Commit10(), new MapStore(), BESIDE);
        assertEquals(10 * commits.operations().ns().getTotalCount(), commits.entries());
        assertEquals(1, measure(new OpenClosed(), new MapStore(), SPEC).entries());
        assertEquals(1, measure(new OpenKilled(), new MapStore(), SPEC).entries());
        try (var files = Files.list(folder)) {
            assertEquals(List.of(folder.resolve("db")), files.toList(), "copies are removed");
        }
    }

    /** Opens what it made itself, and no copy of it. */
    private static final class Suspicious extends MapStore {

        @Override
        public Db open(Path directory, CaseSpec spec) throws Exception {
            if (directory.endsWith("db-left")) {
                throw new IllegalStateException(directory + "/map was not closed");
            }
            return super.open(directory, spec);
        }
    }

    @Test
    void aStoreThatDoesNotOpenAfterAKillSaysWhy() {
        Exception none = assertThrows(
                Unavailable.class, () -> measure(new OpenKilled(), new Suspicious(), SPEC));
        assertEquals("does not open after a kill: map was not closed", none.getMessage());
    }

    @Test
    void aCopyHasTheSameBytes() throws Exception {
        Path from = Files.createDirectories(folder.resolve("from/inner"));
        byte[] bytes = new byte[300_000]; // of zeros, in which some are none
        bytes[100] = 1;
        bytes[200_000] = 2;
        Files.write(from.resolve("holes"), bytes);
        Files.write(from.resolve("empty"), new byte[0]);
        SparseCopy.of(folder.resolve("from"), folder.resolve("to"));
        Path to = folder.resolve("to/inner");
        assertArrayEquals(bytes, Files.readAllBytes(to.resolve("holes")));
        assertEquals(0, Files.size(to.resolve("empty")));
    }

    /** Reads from a copy of all entries: one of each reader's, or the first reader's for ever. */
    private static final class Snapshots extends MapStore {

        private final boolean renewed;
        private Map<Integer, byte[]> copy;

        Snapshots(boolean renewed) {
            this.renewed = renewed;
        }

        @Override
        public Db open(Path directory, CaseSpec spec) throws Exception {
            Db db = super.open(directory, spec);
            return new Db() {
                @Override
                public Writer writer() throws Exception {
                    return db.writer();
                }

                @Override
                public Reader reader() throws Exception {
                    Reader all = db.reader();
                    return snapshot(all, copied(all, Data.of(spec)));
                }

                @Override
                public void close() throws Exception {
                    db.close();
                }
            };
        }

        private synchronized Map<Integer, byte[]> copied(Store.Reader all, Data data)
                throws Exception {
            if (renewed || copy == null) {
                copy = new HashMap<>();
                EntryFlyweight entry = data.entry();
                for (int position = 0; position < data.spec.entries(); position++) {
                    all.get(entry.at(position), new Kept(copy, entry.number()));
                }
            }
            return copy;
        }

        private static Reader snapshot(Store.Reader all, Map<Integer, byte[]> copy) {
            return new Reader() {
                @Override
                public void get(Entry entry, Sink sink) {
                    sink.accept(entry.key(), copy.get(((EntryFlyweight) entry).number()));
                }

                @Override
                public void close() throws Exception {
                    all.close();
                }
            };
        }
    }

    /** Keeps a value. */
    private record Kept(Map<Integer, byte[]> in, int number) implements Sink {

        @Override
        public boolean wantsKeys() {
            return true;
        }

        @Override
        public void accept(byte[] value) {
            in.put(number, value);
        }

        @Override
        public void accept(byte[] key, byte[] value) {
            in.put(number, value);
        }

        @Override
        public void accept(ByteBuffer key, ByteBuffer value) {}

        @Override
        public void accept(long key, int keyBytes, long value, int valueBytes) {}
    }

    @Test
    void aReaderMayBeAsOldAsItsSnapshotAndNoOlder() throws Exception {
        Measurement measured = measure(new GetBesideWriter(), new Snapshots(true), BESIDE);
        assertTrue(measured.observed().writesPerSecond() > 0);
        assertEquals(measured.entries(), measured.operations().ns().getTotalCount());
        assertTrue(measured.entries() >= ENTRIES);
        assertThrows(
                WrongData.class,
                () -> measure(new GetBesideWriter(), new Snapshots(false), BESIDE));
    }
}
