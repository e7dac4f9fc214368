package kv.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Workload;
import kv.store.Workload.Digest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store may get wrong, and what notices it. */
class VerifyingSinkTest {

    private static final int ENTRIES = 50;
    private static final Data DATA =
            Data.of(new CaseSpec(KeyKind.STRING, Order.RANDOM, ENTRIES, 20));
    private final EntryFlyweight entry = DATA.entry();
    private final EntryFlyweight buffered = DATA.entry();
    private final Sinks sinks = new Sinks(DATA);
    private final VerifyingSink written = sinks.comparing(Workload.READ_KEY);

    private void read(VerifyingSink sink, IntStream positions) {
        positions.forEach(position -> sink.accept(entry.at(position).key(), entry.value()));
    }

    private IntStream inOrder() {
        return IntStream.range(0, ENTRIES);
    }

    private IntStream ascending() {
        return inOrder().map(DATA::positionOfRank);
    }

    private static void assertWrong(String message, Runnable reading) {
        String said = assertThrows(WrongData.class, reading::run).getMessage();
        assertTrue(said.startsWith(message), said);
    }

    @Test
    void whatWasWrittenPassesInTheOrderThatIsDue() {
        for (Workload way : List.of(Workload.READ_KEY, Workload.READ_SEQ, Workload.READ_REV)) {
            VerifyingSink sink = sinks.comparing(way);
            read(
                    sink,
                    switch (way) {
                        case READ_KEY -> inOrder();
                        case READ_SEQ -> ascending();
                        default -> inOrder().map(i -> DATA.positionOfRank(ENTRIES - 1 - i));
                    });
            assertDoesNotThrow(sink::check);
        }
    }

    @Test
    void aWrongKeyIsNoticed() {
        assertWrong(
                "a wrong key came back as entry 0, where this was due: key ",
                () -> written.accept(entry.at(1).newKey(), entry.at(0).newValue()));
        byte[] key = entry.at(0).newKey();
        key[key.length - 1] ^= 1;
        assertWrong("a wrong key", () -> sinks.comparing(Workload.READ_KEY)
                .accept(key, entry.newValue()));
    }

    @Test
    void aWrongBitOfTheLastByteOfAValueIsNoticed() {
        read(written, IntStream.range(0, 3));
        byte[] value = entry.at(3).newValue();
        value[value.length - 1] ^= 1;
        assertWrong(
                "a wrong value came back as entry 3, where this was due: key ",
                () -> written.accept(entry.newKey(), value));
    }

    @Test
    void aShorterOrLongerValueIsNoticed() {
        for (int bytes : new int[] {19, 21}) {
            byte[] value = java.util.Arrays.copyOf(entry.at(0).newValue(), bytes);
            assertWrong("a wrong value", () -> sinks.comparing(Workload.READ_KEY)
                    .accept(entry.newKey(), value));
        }
    }

    @Test
    void aMissingEntryIsNoticed() {
        read(written, IntStream.range(0, ENTRIES - 1));
        assertWrong("49 entries came back instead of 50", written::check);
    }

    @Test
    void aDoubledEntryIsNoticed() {
        read(written, inOrder());
        assertWrong(
                "more than the 50 entries written came back",
                () -> read(written, IntStream.of(ENTRIES - 1)));
        assertWrong(
                "a wrong key", () -> read(sinks.comparing(Workload.READ_KEY), IntStream.of(0, 0)));
    }

    @Test
    void anotherOrderIsNoticed() {
        assertWrong("a wrong key", () -> read(sinks.comparing(Workload.READ_SEQ), inOrder()));
        assertWrong("a wrong key", () -> read(sinks.comparing(Workload.READ_REV), ascending()));
    }

    @ParameterizedTest
    @EnumSource(Digest.class)
    void theDigestIsTheSameInEveryFormOfAnEntry(Digest digest) {
        sinks.prepare(digest);
        VerifyingSink arrays = sinks.digesting(digest);
        VerifyingSink buffers = sinks.digesting(digest);
        VerifyingSink addresses = sinks.digesting(digest);
        ascending().forEach(position -> {
            entry.at(position);
            arrays.accept(entry.key(), entry.value());
            buffered.at(position);
            buffers.accept(buffered.keyBuffer(), buffered.valueBuffer());
            addresses.accept(
                    entry.keyAddress(), entry.keyBytes(), entry.valueAddress(), entry.valueBytes());
        });
        for (VerifyingSink sink : List.of(arrays, buffers, addresses)) {
            assertDoesNotThrow(sink::check);
        }
        assertEquals(digest != Digest.REACH, arrays.wantsKeys());
    }

    @ParameterizedTest
    @EnumSource(
            value = Digest.class,
            names = {"CRC32", "XXH64"})
    void aChecksumNoticesOneBit(Digest digest) {
        VerifyingSink sink = sinks.digesting(digest);
        ascending().forEach(position -> {
            byte[] value = entry.at(position).newValue();
            value[0] ^= position == 17 ? 1 : 0;
            sink.accept(entry.key(), value);
        });
        assertWrong(
                "the " + digest + " checksum of what came back is not that of what was written",
                sink::check);
        sink.reset();
        read(sink, ascending());
        assertDoesNotThrow(sink::check, "reset forgets");
    }

    @Test
    void crc32DependsOnTheOrderAndXxh64DoesNot() {
        VerifyingSink crc = sinks.digesting(Digest.CRC32);
        read(crc, inOrder());
        assertWrong("the CRC32 checksum", crc::check);
        VerifyingSink xxh64 = sinks.digesting(Digest.XXH64);
        read(xxh64, inOrder());
        assertDoesNotThrow(xxh64::check);
        assertNotEquals(0, xxh64.digest());
    }

    @Test
    void reachNoticesLengthsAndNumbers() {
        VerifyingSink sink = sinks.digesting(Digest.REACH);
        inOrder().forEach(i -> sink.accept(new byte[i == 0 ? 19 : 20]));
        assertWrong("the REACH checksum", sink::check);
        sink.reset();
        inOrder().skip(1).forEach(i -> sink.accept(new byte[20]));
        assertWrong("49 entries came back instead of 50", sink::check);
    }

    @Test
    void valuesWithoutKeysAreAddedUp() {
        VerifyingSink sink = sinks.digesting(Digest.REACH);
        inOrder().forEach(i -> sink.accept(new byte[20]));
        assertDoesNotThrow(sink::check);
        assertEquals(ENTRIES * 20, sink.digest());
    }

    @Test
    void whatIsGivenByAddressIsCompared() {
        for (Workload way : List.of(Workload.READ_KEY, Workload.READ_SEQ, Workload.READ_REV)) {
            entry.at(way == Workload.READ_KEY ? 1 : DATA.positionOfRank(7));
            VerifyingSink sink = sinks.comparing(way);
            assertWrong(
                    "a wrong key",
                    () -> sink.accept(
                            entry.keyAddress(),
                            entry.keyBytes(),
                            entry.valueAddress(),
                            entry.valueBytes()));
            buffered.at(way == Workload.READ_KEY ? 1 : DATA.positionOfRank(7));
            assertWrong("a wrong key", () -> sinks.comparing(way)
                    .accept(buffered.keyBuffer(), buffered.valueBuffer()));
        }
        entry.at(0);
        buffered.at(1);
        assertWrong("a wrong value", () -> sinks.comparing(Workload.READ_KEY)
                .accept(
                        entry.keyAddress(),
                        entry.keyBytes(),
                        buffered.valueAddress(),
                        entry.valueBytes()));
    }

    @Test
    void sharesOfThreadsAreCheckedTogether() {
        VerifyingSink one = sinks.digesting(Digest.XXH64);
        VerifyingSink other = sinks.digesting(Digest.XXH64);
        read(one, IntStream.range(0, 20));
        read(other, IntStream.range(20, ENTRIES));
        assertDoesNotThrow(() -> one.checkWith(List.of(other)));
        assertThrows(WrongData.class, one::check);
        read(other, IntStream.of(3));
        assertThrows(WrongData.class, () -> one.checkWith(List.of(other)));
    }
}
