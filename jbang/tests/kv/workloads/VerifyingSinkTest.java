package kv.workloads;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a store may get wrong, and what notices it. */
class VerifyingSinkTest {

    private static final int ENTRIES = 50;
    private static final Data DATA =
            Data.of(new CaseSpec(KeyKind.STRING, Order.DENSE, ENTRIES, 20));
    private final EntryFlyweight entry = DATA.entry();
    private final EntryFlyweight buffered = DATA.entry();
    private final VerifyingSink written = ComparingSink.got(DATA);

    private void read(VerifyingSink sink, IntStream positions) {
        positions.forEach(position -> sink.accept(entry.at(position).key(), entry.value()));
    }

    private IntStream inOrder() {
        return IntStream.range(0, ENTRIES);
    }

    private IntStream ascending() {
        return inOrder().map(DATA::positionOfRank);
    }

    private IntStream got() {
        return inOrder().map(DATA::positionOfGet);
    }

    private static void assertWrong(String message, Runnable reading) {
        String said = assertThrows(WrongData.class, reading::run).getMessage();
        assertTrue(said.startsWith(message), said);
    }

    @Test
    void whatWasWrittenPassesInTheOrderThatIsDue() {
        Map.of(
                        ComparingSink.got(DATA), got(),
                        ComparingSink.ascending(DATA), ascending(),
                        ComparingSink.descending(DATA),
                                inOrder().map(i -> DATA.positionOfRank(ENTRIES - 1 - i)))
                .forEach((sink, positions) -> {
                    read(sink, positions);
                    assertDoesNotThrow(() -> sink.check());
                });
    }

    @Test
    void aWrongKeyIsNoticed() {
        assertWrong(
                "a wrong key came back as entry 0, where this was due: key ",
                () -> written.accept(
                        entry.at(DATA.positionOfGet(1)).newKey(),
                        entry.at(DATA.positionOfGet(0)).newValue()));
        byte[] key = entry.at(DATA.positionOfGet(0)).newKey();
        key[key.length - 1] ^= 1;
        assertWrong("a wrong key", () -> ComparingSink.got(DATA).accept(key, entry.newValue()));
    }

    @Test
    void aWrongBitOfTheLastByteOfAValueIsNoticed() {
        read(written, got().limit(3));
        byte[] value = entry.at(DATA.positionOfGet(3)).newValue();
        value[value.length - 1] ^= 1;
        assertWrong(
                "a wrong value came back as entry 3, where this was due: key ",
                () -> written.accept(entry.newKey(), value));
    }

    @Test
    void aShorterOrLongerValueIsNoticed() {
        for (int bytes : new int[] {19, 21}) {
            byte[] value = Arrays.copyOf(entry.at(DATA.positionOfGet(0)).newValue(), bytes);
            assertWrong(
                    "a wrong value", () -> ComparingSink.got(DATA).accept(entry.newKey(), value));
        }
    }

    @Test
    void aMissingEntryIsNoticed() {
        read(written, got().limit(ENTRIES - 1));
        assertWrong("49 entries came back instead of 50", written::check);
    }

    @Test
    void aDoubledEntryIsNoticed() {
        read(written, got());
        assertWrong(
                "more than the 50 entries written came back",
                () -> read(written, IntStream.of(ENTRIES - 1)));
        int first = DATA.positionOfGet(0);
        assertWrong("a wrong key", () -> read(ComparingSink.got(DATA), IntStream.of(first, first)));
    }

    @Test
    void anotherOrderIsNoticed() {
        assertWrong("a wrong key", () -> read(ComparingSink.ascending(DATA), inOrder()));
        assertWrong("a wrong key", () -> read(ComparingSink.descending(DATA), ascending()));
    }

    static List<VerifyingSink> digesting() {
        return List.of(new ReachSink(DATA), new Crc32Sink(DATA), new Xxh64Sink(DATA));
    }

    @ParameterizedTest
    @MethodSource("digesting")
    void theDigestIsTheSameInEveryFormOfAnEntry(VerifyingSink arrays) {
        VerifyingSink buffers = arrays.another();
        VerifyingSink addresses = arrays.another();
        ascending().forEach(position -> {
            entry.at(position);
            arrays.accept(entry.key(), entry.value());
            buffered.at(position);
            buffers.accept(buffered.keyBuffer(), buffered.valueBuffer());
            addresses.accept(
                    entry.keyAddress(), entry.keyBytes(), entry.valueAddress(), entry.valueBytes());
        });
        for (VerifyingSink sink : List.of(arrays, buffers, addresses)) {
            assertDoesNotThrow(() -> sink.check());
        }
        assertEquals(!(arrays instanceof ReachSink), arrays.wantsKeys());
    }

    static List<VerifyingSink> checksums() {
        return digesting().subList(1, 3);
    }

    @ParameterizedTest
    @MethodSource("checksums")
    void aChecksumNoticesOneBit(VerifyingSink sink) {
        ascending().forEach(position -> {
            byte[] value = entry.at(position).newValue();
            value[0] ^= position == 17 ? 1 : 0;
            sink.accept(entry.key(), value);
        });
        assertWrong(
                "the " + sink + " checksum of what came back is not that of what was written",
                sink::check);
        sink.reset();
        read(sink, ascending());
        assertDoesNotThrow(() -> sink.check(), "reset forgets");
    }

    @Test
    void crc32DependsOnTheOrderAndXxh64DoesNot() {
        VerifyingSink crc = new Crc32Sink(DATA);
        read(crc, inOrder());
        assertWrong("the CRC32 checksum", crc::check);
        VerifyingSink xxh64 = new Xxh64Sink(DATA);
        read(xxh64, inOrder());
        assertDoesNotThrow(() -> xxh64.check());
        assertNotEquals(0, xxh64.digest());
    }

    @Test
    void valuesUnderEachOthersKeysAreNoticed() {
        VerifyingSink sink = new Xxh64Sink(DATA);
        inOrder().forEach(position -> {
            byte[] key = entry.at(position).newKey();
            sink.accept(key, entry.at(position < 2 ? 1 - position : position).newValue());
        });
        assertWrong("the XXH64 checksum", sink::check);
    }

    @Test
    void anOldValueIsNoticedWhenValuesWereRenewed() {
        Data data = Data.of(DATA.spec);
        EntryFlyweight old = data.entry();
        VerifyingSink before = new Xxh64Sink(data);
        inOrder().forEach(i -> before.accept(old.at(i).key(), old.value()));
        assertDoesNotThrow(() -> before.check());
        data.renew();
        EntryFlyweight renewed = data.entry();
        VerifyingSink after = new Xxh64Sink(data);
        inOrder().forEach(i -> {
            EntryFlyweight given = i == 30 ? old : renewed;
            after.accept(given.at(i).key(), given.value());
        });
        assertWrong("the XXH64 checksum", after::check);
        int first = data.positionOfGet(0);
        assertWrong("a wrong value", () -> ComparingSink.got(data)
                .accept(old.at(first).newKey(), old.newValue()));
    }

    @Test
    void reachNoticesLengthsAndNumbers() {
        VerifyingSink sink = new ReachSink(DATA);
        inOrder().forEach(i -> sink.accept(new byte[i == 0 ? 19 : 20]));
        assertWrong("the REACH checksum", sink::check);
        sink.reset();
        inOrder().skip(1).forEach(i -> sink.accept(new byte[20]));
        assertWrong("49 entries came back instead of 50", sink::check);
    }

    @Test
    void valuesWithoutKeysAreAddedUp() {
        VerifyingSink sink = new ReachSink(DATA);
        inOrder().forEach(i -> sink.accept(new byte[20]));
        assertDoesNotThrow(() -> sink.check());
        assertEquals(ENTRIES * 20, sink.digest());
        VerifyingSink keys = new Xxh64Sink(DATA);
        assertWrong("a value came without its key", () -> keys.accept(new byte[20]));
    }

    @Test
    void whatIsGivenByAddressIsCompared() {
        for (ComparingSink sink : List.of(
                ComparingSink.got(DATA),
                ComparingSink.ascending(DATA),
                ComparingSink.descending(DATA))) {
            entry.at(DATA.positionOfRank(7));
            assertWrong("a wrong key", () -> sink.accept(entry));
            buffered.at(DATA.positionOfRank(7));
            assertWrong(
                    "a wrong key", () -> sink.accept(buffered.keyBuffer(), buffered.valueBuffer()));
        }
        entry.at(DATA.positionOfGet(0));
        buffered.at(DATA.positionOfGet(1));
        assertWrong("a wrong value", () -> ComparingSink.got(DATA)
                .accept(
                        entry.keyAddress(),
                        entry.keyBytes(),
                        buffered.valueAddress(),
                        entry.valueBytes()));
    }

    @Test
    void sharesOfThreadsAreCheckedTogether() {
        VerifyingSink one = new Xxh64Sink(DATA);
        VerifyingSink other = new Xxh64Sink(DATA);
        read(one, IntStream.range(0, 20));
        read(other, IntStream.range(20, ENTRIES));
        assertDoesNotThrow(() -> one.check(one.due(), List.of(other)));
        assertThrows(WrongData.class, one::check);
        read(other, IntStream.of(3));
        assertThrows(WrongData.class, () -> one.check(one.due(), List.of(other)));
    }
}
