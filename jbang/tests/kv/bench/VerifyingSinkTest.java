package kv.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
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
            Data.of(new CaseSpec(KeyKind.STRING, Order.DENSE, ENTRIES, 20));
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

    private IntStream got() {
        return inOrder().map(DATA::positionOfGet);
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
                        case READ_KEY -> got();
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
                () -> written.accept(
                        entry.at(DATA.positionOfGet(1)).newKey(),
                        entry.at(DATA.positionOfGet(0)).newValue()));
        byte[] key = entry.at(DATA.positionOfGet(0)).newKey();
        key[key.length - 1] ^= 1;
        assertWrong("a wrong key", () -> sinks.comparing(Workload.READ_KEY)
                .accept(key, entry.newValue()));
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
            assertWrong("a wrong value", () -> sinks.comparing(Workload.READ_KEY)
                    .accept(entry.newKey(), value));
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
        assertWrong(
                "a wrong key",
                () -> read(sinks.comparing(Workload.READ_KEY), IntStream.of(first, first)));
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
    void valuesUnderEachOthersKeysAreNoticed() {
        VerifyingSink sink = sinks.digesting(Digest.XXH64);
        inOrder().forEach(position -> {
            byte[] key = entry.at(position).newKey();
            sink.accept(key, entry.at(position < 2 ? 1 - position : position).newValue());
        });
        assertWrong("the XXH64 checksum", sink::check);
    }

    @Test
    void anOldValueIsNoticedWhenValuesWereRenewed() {
        Data data = Data.of(DATA.spec);
        Sinks ofIt = new Sinks(data);
        EntryFlyweight old = data.entry();
        VerifyingSink before = ofIt.digesting(Digest.XXH64);
        inOrder().forEach(i -> before.accept(old.at(i).key(), old.value()));
        assertDoesNotThrow(before::check);
        data.renew();
        EntryFlyweight renewed = data.entry();
        VerifyingSink after = ofIt.digesting(Digest.XXH64);
        inOrder().forEach(i -> {
            EntryFlyweight given = i == 30 ? old : renewed;
            after.accept(given.at(i).key(), given.value());
        });
        assertWrong("the XXH64 checksum", after::check);
        int first = data.positionOfGet(0);
        assertWrong("a wrong value", () -> ofIt.comparing(Workload.READ_KEY)
                .accept(old.at(first).newKey(), old.newValue()));
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
        VerifyingSink keys = sinks.digesting(Digest.XXH64);
        assertWrong("a value came without its key", () -> keys.accept(new byte[20]));
    }

    @Test
    void whatIsGivenByAddressIsCompared() {
        for (Workload way : List.of(Workload.READ_KEY, Workload.READ_SEQ, Workload.READ_REV)) {
            entry.at(way == Workload.READ_KEY ? DATA.positionOfGet(1) : DATA.positionOfRank(7));
            VerifyingSink sink = sinks.comparing(way);
            assertWrong(
                    "a wrong key",
                    () -> sink.accept(
                            entry.keyAddress(),
                            entry.keyBytes(),
                            entry.valueAddress(),
                            entry.valueBytes()));
            buffered.at(way == Workload.READ_KEY ? DATA.positionOfGet(1) : DATA.positionOfRank(7));
            assertWrong("a wrong key", () -> sinks.comparing(way)
                    .accept(buffered.keyBuffer(), buffered.valueBuffer()));
        }
        entry.at(DATA.positionOfGet(0));
        buffered.at(DATA.positionOfGet(1));
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
