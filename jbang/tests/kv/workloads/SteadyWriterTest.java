package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import kv.WatchedStore;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SteadyWriterTest {

    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.DENSE, 100, 20);

    @TempDir
    Path folder;

    private final WatchedStore store = new WatchedStore();
    private final Data data = Data.of(SPEC);

    @Test
    void itKeepsItsRateAndEndsWhenItIsClosed() throws Exception {
        try (var writer = new SteadyWriter(store.open(folder, SPEC), data, 500)) {
            writer.mark();
            Thread.sleep(100);
            writer.check();
            writer.forget();
            assertTrue(Double.isNaN(writer.rate()), "nothing is marked");
            writer.mark();
            int before = store.puts.size();
            long start = System.nanoTime();
            Thread.sleep(600);
            writer.check();
            double seconds = (System.nanoTime() - start) / 1e9;
            double rate = (store.puts.size() - before) / seconds;
            assertEquals(500, writer.rate(), 50);
            assertEquals(rate, writer.rate(), 25, "as the store counts it");
            assertTrue(new HashSet<>(List.copyOf(store.puts)).size() > 80, "any entry");
        }
        int puts = store.puts.size();
        Thread.sleep(50);
        assertEquals(puts, store.puts.size());
        assertTrue(store.calls.contains(WatchedStore.Call.COMMIT), "it has closed its writer");
    }

    @Test
    void whatItWritesIsNewAndKnown() throws Exception {
        Store.Db db = store.open(folder, SPEC);
        try (Store.Writer load = db.writer()) {
            EntryFlyweight entry = data.entry();
            for (int position = 0; position < SPEC.entries(); position++) {
                load.put(entry.at(position));
            }
        }
        store.puts.clear();
        SteadyWriter writer = new SteadyWriter(db, data, 1_000);
        while (store.puts.isEmpty()) {
            Thread.sleep(1);
        }
        writer.close();
        Set<Integer> written = Set.copyOf(store.puts);
        Data before = Data.of(SPEC);
        for (int position = 0; position < SPEC.entries(); position++) {
            EntryFlyweight newest = data.newest().apply(position);
            boolean same =
                    Arrays.equals(newest.newValue(), before.entry().at(position).newValue());
            assertEquals(!written.contains(newest.rank()), same);
        }
        VerifyingSink sink = ComparingSink.ascending(data);
        db.reader().scan(null, Store.Reader.ALL, Direction.FORWARDS, sink);
        sink.check();
    }

    @Test
    void theFirstPutCounts() throws Exception {
        store.naps.put(WatchedStore.Call.WRITER, 100L);
        try (var writer = new SteadyWriter(store.open(folder, SPEC), data, 1)) {
            writer.mark(); // while its writer is opened
            while (store.puts.isEmpty()) {
                Thread.sleep(1);
            }
            Thread.sleep(50);
            writer.check();
            assertTrue(writer.rate() > 0, "rate: " + writer.rate());
        }
    }

    @Test
    void whileItWaitsItIsClosedAtOnce() throws Exception {
        var writer = new SteadyWriter(store.open(folder, SPEC), data, 1);
        Thread.sleep(50);
        store.naps.put(WatchedStore.Call.COMMIT, 100L);
        long start = System.nanoTime();
        writer.close();
        assertTrue(
                Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(each -> each.getName().equals("steady writer")),
                "it has ended when it is closed");
        assertTrue(System.nanoTime() - start < 700_000_000, "the next put is due in a second");
        assertTrue(store.puts.size() <= 2, "one may be under way");
    }
}
