package kv.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import kv.MapStore;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Sink;
import kv.store.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left is told from what is missing, and wrong data from right. */
class ExaminationTest {

    private static final int BATCH = 10;
    private static final int TRANSACTIONS = 40;
    private static final CaseSpec SPEC =
            new CaseSpec(KeyKind.INT, Order.RANDOM, TRANSACTIONS * BATCH, 20);

    @TempDir
    Path directory;

    private final MapStore store = new MapStore();
    private final Ledger ledger = new Ledger(SPEC, ByteOrder.BIG_ENDIAN, BATCH, true);

    /** Writes what is chosen of all transactions, in their order, by transaction and place. */
    private void leave(BiPredicate<Integer, Integer> chosen) throws Exception {
        try (Store.Db db = store.open(directory, SPEC);
                Store.Writer writer = db.writer()) {
            for (int number = 1; number <= TRANSACTIONS; number++) {
                for (int place = 0; place < BATCH; place++) {
                    Ledger.Write write = ledger.transaction(number)[place];
                    if (chosen.test(number, place)) {
                        writer.put(ledger.entry(write.position(), write.generation()));
                    }
                }
            }
        }
    }

    private Found examined(Store store, int acknowledged) {
        return new Examination(store, null, ledger).of(directory, acknowledged);
    }

    private static void assertCounts(Found found, int last, int lost, int holes, int torn) {
        assertNull(found.failed(), found::toString);
        assertEquals(
                List.of(last, lost, holes, torn, 0),
                List.of(found.last(), found.lost(), found.holes(), found.torn(), found.wrong()),
                found::toString);
    }

    @Test
    void aLedgerOverwritesAboutHalfAndNoEntryTwiceInATransaction() {
        int again = 0;
        Set<Integer> before = new HashSet<>();
        for (int number = 1; number <= TRANSACTIONS; number++) {
            Set<Integer> now = new HashSet<>();
            for (Ledger.Write write : ledger.transaction(number)) {
                assertTrue(now.add(write.position()), "twice in " + number);
                assertEquals(before.contains(write.position()), write.generation() > 0);
                again += write.generation() > 0 ? 1 : 0;
            }
            before.addAll(now);
        }
        assertTrue(again > 120 && again < 280, "overwritten: " + again);
    }

    @Test
    void withoutOverwritingEachEntryIsNew() {
        Ledger once = new Ledger(SPEC, ByteOrder.BIG_ENDIAN, BATCH, false);
        assertEquals(TRANSACTIONS * BATCH, once.positions());
    }

    @Test
    void allIsThere() throws Exception {
        leave((number, place) -> true);
        assertCounts(examined(store, TRANSACTIONS), TRANSACTIONS, 0, 0, 0);
    }

    @Test
    void nothingIsThere() {
        assertCounts(examined(store, 25), 0, 25, 0, 0);
    }

    @Test
    void theLastAreLost() throws Exception {
        leave((number, place) -> number <= 30);
        assertCounts(examined(store, 33), 30, 3, 0, 0);
    }

    @Test
    void whatWasNotAcknowledgedIsNotLost() throws Exception {
        leave((number, place) -> number <= 30);
        assertCounts(examined(store, 29), 30, 0, 0, 0);
    }

    @Test
    void oneBeforeOthersIsLost() throws Exception {
        leave((number, place) -> number != 39);
        assertCounts(examined(store, 38), 40, 0, 1, 0);
        leave((number, place) -> true);
        assertCounts(examined(store, 40), 40, 0, 0, 0);
    }

    @Test
    void aPartOfOneIsLost() throws Exception {
        leave((number, place) -> number < 40 || place != 3);
        assertCounts(examined(store, 40), 40, 1, 0, 1);
    }

    @Test
    void anOverwriteIsLost() throws Exception {
        leave((number, place) ->
                number < 40 || ledger.transaction(number)[place].generation() == 0);
        Found found = examined(store, 40);
        assertEquals(1, found.lost());
        assertEquals(1, found.torn());
    }

    @Test
    void anotherValueIsWrong() throws Exception {
        leave((number, place) -> true);
        Found found = examined(
                new Altered() {
                    @Override
                    void give(byte[] key, byte[] value, Sink sink) {
                        value[7] ^= 1;
                        sink.accept(key, value);
                    }
                },
                40);
        assertEquals("write", found.failed()); // as what is written then is wrong as well
        assertTrue(found.wrong() >= 2 * ledger.positions(), found::toString);
        assertTrue(found.example().contains("a value that was never written"), found.example());
    }

    @Test
    void anotherKeyIsWrong() throws Exception {
        leave((number, place) -> true);
        Found found = examined(
                new Altered() {
                    @Override
                    void give(byte[] key, byte[] value, Sink sink) {
                        byte[] other = key.clone();
                        other[0] ^= 1;
                        sink.accept(other, value);
                    }
                },
                40);
        assertTrue(found.wrong() >= ledger.positions(), found::toString);
        assertTrue(found.example().contains("another key"), found.example());
    }

    @Test
    void aScanThatLeavesOneOutIsWrong() throws Exception {
        leave((number, place) -> true);
        Found found = examined(
                new Altered() {
                    @Override
                    List<byte[][]> scanned(List<byte[][]> all) {
                        return all.subList(1, all.size());
                    }
                },
                40);
        assertEquals(1, found.wrong());
        assertTrue(found.example().contains("differ"), found.example());
    }

    @Test
    void aScanThatGivesOneTwiceIsWrong() throws Exception {
        leave((number, place) -> true);
        Found found = examined(
                new Altered() {
                    @Override
                    List<byte[][]> scanned(List<byte[][]> all) {
                        all.add(all.get(5));
                        return all;
                    }
                },
                40);
        assertEquals(1, found.wrong());
        assertTrue(found.example().contains("twice"), found.example());
    }

    @Test
    void whatDoesNotOpenSaysWhy() throws Exception {
        leave((number, place) -> true);
        Found found = examined(
                new Altered() {
                    @Override
                    public Db open(Path directory, CaseSpec spec) {
                        throw new IllegalStateException("no header");
                    }
                },
                40);
        assertEquals("open", found.failed());
        assertTrue(found.reason().contains("no header"), found.reason());
    }

    @Test
    void whatCannotBeWrittenToAgainSaysSo() throws Exception {
        leave((number, place) -> true);
        Found found = examined(
                new Altered() {
                    @Override
                    protected byte[] stored(Entry entry) {
                        throw new IllegalStateException("read only");
                    }
                },
                40);
        assertEquals("write", found.failed());
        assertEquals(0, found.lost());
        assertNotNull(found.reason());
    }

    @Test
    void whatOpensByItsRecoveryOnlyIsToldFromWhatDoesNot() throws Exception {
        leave((number, place) -> number <= 30);
        boolean[] mended = {false};
        Store locked = new Altered() {
            @Override
            public Db open(Path directory, CaseSpec spec) throws Exception {
                if (!mended[0]) {
                    throw new IllegalStateException("locked");
                }
                return super.open(directory, spec);
            }
        };
        assertEquals("open", examined(locked, 33).failed());
        Recovery unlocks = (directory, spec) -> mended[0] = true;
        assertCounts(new Examination(locked, unlocks, ledger).of(directory, 33), 30, 3, 0, 0);
        Recovery fails = (directory, spec) -> {
            throw new IllegalStateException("beyond repair");
        };
        Found found = new Examination(locked, fails, ledger).of(directory, 33);
        assertEquals("recover", found.failed());
        assertTrue(found.reason().contains("beyond repair"), found.reason());
    }

    @Test
    void eachTransactionIsSaidOnceItIsCommitted() throws Exception {
        List<Integer> said = new ArrayList<>();
        new Commits(store, ledger).run(directory, number -> {
            said.add(number);
            assertCounts(examined(store, number), number, 0, 0, 0);
            leave((each, place) -> each <= number); // as it was before it was written to
        });
        assertEquals(IntStream.rangeClosed(0, TRANSACTIONS).boxed().toList(), said);
    }

    @Test
    void itIsOpenWhenTheEntryCommittedLastIsThere() throws Exception {
        leave((number, place) -> number < TRANSACTIONS);
        assertFalse(Reopening.of(store, null, ledger, directory).found());
        leave((number, place) -> true);
        List<Path> recovered = new ArrayList<>();
        Reopening opened = Reopening.of(store, (at, spec) -> recovered.add(at), ledger, directory);
        assertTrue(opened.found() && opened.failed() == null && opened.seconds() > 0);
        assertEquals(List.of(directory), recovered);
        Recovery fails = (at, spec) -> {
            throw new IllegalStateException("beyond repair");
        };
        assertTrue(Reopening.of(store, fails, ledger, directory).failed().contains("repair"));
    }

    @Test
    void threadsCommitEachItsOwnTransactions() throws Exception {
        Ledger once = new Ledger(SPEC, ByteOrder.BIG_ENDIAN, BATCH, false);
        Map<Thread, Set<Integer>> written = new ConcurrentHashMap<>();
        Store watched = new Altered() {
            @Override
            protected byte[] stored(Entry entry) {
                written.computeIfAbsent(Thread.currentThread(), thread -> new HashSet<>())
                        .add(entry.keyBuffer().getInt());
                return entry.newValue();
            }
        };
        Price price = new Pricing(watched, once, 4).of(directory, 0.01, 0.2);
        assertEquals(4, written.size());
        assertEquals(
                TRANSACTIONS * BATCH,
                written.values().stream().mapToInt(Set::size).sum(),
                "all entries, and none by two threads");
        assertTrue(price.commits() > 4 && price.seconds() >= 0.2, price::toString);
    }

    @Test
    void aCommitTakesFromItsFirstPutToItsEnd() throws Exception {
        Store slow = new Altered() {
            @Override
            protected byte[] stored(Entry entry) {
                LockSupport.parkNanos(1_000_000);
                return entry.newValue();
            }
        };
        Price price = new Pricing(slow, ledger, 1).of(directory, 0.05, 0.3);
        assertTrue(price.p50Ns() >= BATCH * 1_000_000, price::toString);
        assertTrue(price.commits() * price.p50Ns() / 1e9 <= 1.5 * price.seconds(), price::toString);
    }

    /** The same map, read otherwise than it is. */
    private class Altered extends MapStore {

        void give(byte[] key, byte[] value, Sink sink) {
            sink.accept(key, value);
        }

        List<byte[][]> scanned(List<byte[][]> all) {
            return all;
        }

        @Override
        public Db open(Path directory, CaseSpec spec) throws Exception {
            Db db = store.open(directory, spec);
            return new Db() {
                @Override
                public Writer writer() throws Exception {
                    Writer writer = db.writer();
                    return new Writer() {
                        @Override
                        public void put(Entry entry) throws Exception {
                            stored(entry);
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
                    return new Misreader(db.reader(), Altered.this);
                }

                @Override
                public void close() {}
            };
        }
    }

    private record Misreader(Store.Reader reader, Altered as) implements Store.Reader {

        @Override
        public void get(Entry entry, Sink sink) throws Exception {
            Capture capture = new Capture();
            reader.get(entry, capture);
            capture.taken().forEach(pair -> as.give(pair.key(), pair.value(), sink));
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) throws Exception {
            Capture capture = new Capture();
            reader.scan(from, limit, direction, capture);
            List<byte[][]> all = new ArrayList<>();
            capture.taken().forEach(pair -> all.add(new byte[][] {pair.key(), pair.value()}));
            as.scanned(all).forEach(pair -> as.give(pair[0], pair[1], sink));
        }

        @Override
        public void close() throws Exception {
            reader.close();
        }
    }
}
