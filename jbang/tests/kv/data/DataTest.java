package kv.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.Entries;
import kv.store.KeyKind;
import kv.store.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DataTest {

    private static final int ENTRIES = 5_000;

    private static CaseSpec spec(KeyKind keys, Order order) {
        return new CaseSpec(keys, order, ENTRIES, 33);
    }

    private static int[] numbers(CaseSpec spec) {
        EntryFlyweight entry = Data.of(spec).entry();
        int[] numbers = new int[spec.entries()];
        Arrays.setAll(numbers, position -> entry.at(position).number());
        return numbers;
    }

    @Test
    void denseOrderIsAShuffledPermutation() {
        int[] numbers = numbers(spec(KeyKind.INT, Order.DENSE));
        BitSet seen = new BitSet();
        Arrays.stream(numbers).forEach(seen::set);
        assertEquals(ENTRIES, seen.cardinality());
        assertEquals(ENTRIES, seen.length());
        assertShuffled(numbers);
    }

    @Test
    void randomOrderIsDistinctNumbersOf31Bits() {
        int[] numbers = numbers(spec(KeyKind.INT, Order.RANDOM));
        assertEquals(ENTRIES, Arrays.stream(numbers).distinct().count());
        assertTrue(Arrays.stream(numbers).allMatch(number -> number >= 0));
        // Of so many even draws the largest is within a hundredth of the end, or chance is 1e-21
        assertTrue(Arrays.stream(numbers).max().getAsInt() > 0.99 * Integer.MAX_VALUE);
        long lower = Arrays.stream(numbers).filter(n -> n < 1 << 30).count();
        assertTrue(Math.abs(lower - ENTRIES / 2) < 250, "in the lower half: " + lower); // 7 sd
        assertShuffled(numbers);
    }

    /** So many that some are drawn twice: 1,165 pairs are to be expected. */
    @Test
    void whatIsDrawnTwiceIsDrawnAnew() {
        CaseSpec spec = new CaseSpec(KeyKind.INT, Order.RANDOM, 2_237_000, 1);
        Data data = Data.of(spec);
        EntryFlyweight entry = data.entry();
        int[] numbers = new int[spec.entries()];
        int last = -1;
        for (int rank = 0; rank < spec.entries(); rank++) {
            int number = entry.at(data.positionOfRank(rank)).number();
            assertTrue(number > last);
            last = number;
            numbers[rank] = number;
        }
        Data absent = data.absent(200_000); // of which 208 would be written, and 9 be two
        EntryFlyweight other = absent.entry();
        last = -1;
        for (int rank = 0; rank < absent.spec.entries(); rank++) {
            int number = other.at(absent.positionOfRank(rank)).number();
            assertTrue(number > last && Arrays.binarySearch(numbers, number) < 0);
            last = number;
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void getsHaveAnOrderOfTheirOwn(Order order) {
        Data data = Data.of(spec(KeyKind.INT, order));
        EntryFlyweight entry = data.entry();
        int[] positions = IntStream.range(0, ENTRIES).map(data::positionOfGet).toArray();
        assertArrayEquals(
                IntStream.range(0, ENTRIES).toArray(),
                Arrays.stream(positions).sorted().toArray());
        if (order == Order.SEQUENTIAL) {
            assertArrayEquals(IntStream.range(0, ENTRIES).toArray(), positions);
        } else {
            assertShuffled(positions);
            assertShuffled(Arrays.stream(positions).map(p -> entry.at(p).rank()).toArray());
        }
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void absentKeysAreNoneOfThese(Order order) {
        Data data = Data.of(spec(KeyKind.STRING, order));
        EntryFlyweight entry = data.entry();
        Set<String> written = new HashSet<>();
        for (int position = 0; position < ENTRIES; position++) {
            written.add(new String(entry.at(position).newKey()));
        }
        EntryFlyweight absent = data.absent(100).entry();
        Set<String> others = new HashSet<>();
        int beyond = 0;
        for (int position = 0; position < 100; position++) {
            others.add(new String(absent.at(position).newKey()));
            beyond +=
                    absent.number() > entry.at(data.positionOfRank(ENTRIES - 1)).number() ? 1 : 0;
        }
        assertTrue(order == Order.RANDOM ? beyond < 5 : beyond == 100, "beyond: " + beyond);
        assertEquals(100, others.size());
        others.retainAll(written);
        assertEquals(Set.of(), others);
        assertArrayEquals(entry.at(3).newValue(), absent.at(3).newValue());
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void aFloorIsTheGreatestKeyUpToAnother(Order order) {
        Data data = Data.of(spec(KeyKind.INT, order));
        Data absent = data.absent(100);
        EntryFlyweight entry = data.entry();
        for (int position = 0; position < 100; position++) {
            EntryFlyweight other = absent.entry().at(position);
            int rank = data.floorRank(other);
            assertTrue(rank < 0 || entry.at(data.positionOfRank(rank)).number() < other.number());
            assertTrue(rank == ENTRIES - 1
                    || entry.at(data.positionOfRank(rank + 1)).number() > other.number());
            assertEquals(entry.at(position).rank(), data.floorRank(entry.at(position)));
        }
    }

    @Test
    void renewedValuesAreOthersUnderTheSameKeys() {
        Data data = Data.of(spec(KeyKind.INT, Order.RANDOM));
        EntryFlyweight old = data.entry().at(5);
        data.renew();
        EntryFlyweight renewed = data.entry().at(5);
        data.renew();
        EntryFlyweight again = data.entry().at(5);
        assertArrayEquals(old.newKey(), renewed.newKey());
        assertFalse(Arrays.equals(old.newValue(), renewed.newValue()));
        assertFalse(Arrays.equals(again.newValue(), renewed.newValue()));
        assertFalse(Arrays.equals(again.newValue(), old.newValue()));
    }

    @Test
    void anOverwrittenEntryHasItsNewestValueUntilAllAreRenewedOrWrittenAnew() {
        Data data = Data.of(spec(KeyKind.INT, Order.RANDOM));
        byte[] second = data.entry().at(5, 2).newValue();
        data.overwrites().acknowledge(5);
        assertFalse(Arrays.equals(second, data.newest().apply(5).newValue()));
        data.overwrites().acknowledge(5);
        assertEquals(1, data.overwrites().count());
        assertArrayEquals(second, data.newest().apply(5).newValue());
        assertArrayEquals(data.entry().at(6).newValue(), data.newest().apply(6).newValue());
        data.writtenAnew();
        assertArrayEquals(data.entry().at(5).newValue(), data.newest().apply(5).newValue());
        data.overwrites().acknowledge(5);
        data.renew();
        byte[] renewed = data.entry().at(5).newValue();
        assertArrayEquals(second, renewed, "further than any that was written");
        assertArrayEquals(renewed, data.newest().apply(5).newValue());
    }

    private static void assertShuffled(int[] numbers) {
        int ascents = 0;
        int fixed = 0;
        for (int i = 1; i < ENTRIES; i++) {
            ascents += numbers[i] > numbers[i - 1] ? 1 : 0;
            fixed += numbers[i] == i ? 1 : 0;
        }
        assertTrue(Math.abs(ascents - ENTRIES / 2) < 150, "ascents: " + ascents); // sd of about 20
        assertTrue(fixed < 10, "left where they were: " + fixed);
    }

    @Test
    void theSeedDecides() {
        CaseSpec spec = spec(KeyKind.INT, Order.RANDOM);
        assertArrayEquals(numbers(spec), numbers(spec));
        assertFalse(Arrays.equals(numbers(spec), numbers(spec.withSeed(1))));
        EntryFlyweight entry = Data.of(spec).entry().at(7);
        EntryFlyweight same = Data.of(spec).entry().at(7);
        EntryFlyweight other = Data.of(spec.withSeed(1)).entry().at(7);
        assertArrayEquals(entry.newValue(), same.newValue());
        assertFalse(Arrays.equals(entry.newValue(), other.newValue()));
    }

    @ParameterizedTest
    @EnumSource(KeyKind.class)
    void ranksFollowTheBytesOfTheKeys(KeyKind keys) {
        Data data = Data.of(spec(keys, Order.RANDOM));
        EntryFlyweight entry = data.entry();
        byte[] last = entry.at(data.positionOfRank(0)).newKey();
        for (int rank = 1; rank < ENTRIES; rank++) {
            byte[] key = entry.at(data.positionOfRank(rank)).newKey();
            assertEquals(keys.bytes, key.length);
            assertTrue(Arrays.compareUnsigned(last, key) < 0);
            assertEquals(rank, entry.rank());
            last = key;
        }
    }

    @Test
    void integerKeysHaveTheStoresByteOrder() {
        CaseSpec spec = spec(KeyKind.INT, Order.SEQUENTIAL);
        byte[] key = new Data(spec, ByteOrder.LITTLE_ENDIAN).entry().at(258).newKey();
        assertArrayEquals(new byte[] {2, 1, 0, 0}, key);
        assertArrayEquals(new byte[] {0, 0, 1, 2}, Data.of(spec).entry().at(258).newKey());
        assertEquals(
                "0000000000000258",
                new String(Data.of(spec(KeyKind.STRING, Order.SEQUENTIAL))
                        .entry()
                        .at(258)
                        .newKey()));
    }

    @Test
    void everyFormOfAnEntryHasTheSameBytes() {
        Data data = Data.of(spec(KeyKind.STRING, Order.RANDOM));
        EntryFlyweight entry = data.entry();
        EntryFlyweight buffers = data.entry(); // a user asks for one form or the other
        for (int position : new int[] {0, 1, ENTRIES - 1}) {
            entry.at(position);
            buffers.at(position);
            assertArrayEquals(entry.newKey(), entry.key());
            assertArrayEquals(entry.newValue(), entry.value());
            assertEquals(ByteBuffer.wrap(entry.newKey()), buffers.keyBuffer());
            assertEquals(ByteBuffer.wrap(entry.newValue()), buffers.valueBuffer());
            byte[] copy = new byte[entry.valueBytes()];
            Native.copy(entry.valueAddress(), copy, 0, copy.length);
            assertArrayEquals(entry.newValue(), copy);
            copy = new byte[entry.keyBytes()];
            Native.copy(entry.keyAddress(), copy, 0, copy.length);
            assertArrayEquals(entry.newKey(), copy);
            assertTrue(buffers.sameKey(ByteBuffer.wrap(entry.newKey()))
                    && buffers.sameValue(ByteBuffer.wrap(entry.newValue())));
        }
        byte[] value = entry.newValue();
        value[value.length - 1] ^= 1;
        assertFalse(buffers.sameValue(ByteBuffer.wrap(value)));
    }

    @Test
    void halfOfTheContentRepeatsAndTheOtherKindDoesNot() {
        assertEquals(1.0, compressed(Content.RANDOM), 0.02);
        assertEquals(0.53, compressed(Content.HALF), 0.04);
        byte[] value = Data.of(new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 10, 100)
                        .withContent(Content.HALF))
                .entry()
                .at(3)
                .newValue();
        assertArrayEquals(Arrays.copyOf(value, 50), Arrays.copyOfRange(value, 50, 100));
    }

    private static double compressed(Content content) {
        CaseSpec spec =
                new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 1_000, 200).withContent(content);
        EntryFlyweight entry = Data.of(spec).entry();
        ByteBuffer all = ByteBuffer.allocate(1_000 * 200);
        for (int position = 0; position < 1_000; position++) {
            all.put(entry.at(position).value());
        }
        Deflater deflater = new Deflater();
        deflater.setInput(all.array());
        deflater.finish();
        return (double) deflater.deflate(new byte[2 * all.capacity()]) / all.capacity();
    }

    @Test
    void valuesOfNeighboursDiffer() {
        EntryFlyweight entry = Data.of(spec(KeyKind.INT, Order.SEQUENTIAL)).entry();
        for (int position = 1; position < 100; position++) {
            byte[] before = entry.at(position - 1).newValue();
            assertFalse(Arrays.equals(before, entry.at(position).newValue()));
        }
    }

    /** Another number here means that every record measured before is of other entries. */
    @ParameterizedTest
    @CsvSource({
        "DENSE,RANDOM,e6487a4c",
        "DENSE,HALF,71643977",
        "RANDOM,RANDOM,d18cfabd",
    })
    void theEntriesOfASeedAreWhatTheyWere(Order order, Content content, String sum) {
        Data data = Data.of(new CaseSpec(KeyKind.STRING, order, 200_000, 333).withContent(content));
        EntryFlyweight entry = data.entry();
        CRC32 crc = new CRC32();
        for (int position = 0; position < 200_000; position++) {
            crc.update(entry.at(position).key());
            crc.update(entry.value());
        }
        assertEquals(sum, Long.toHexString(crc.getValue()));
        int ofGets = Arrays.hashCode(
                IntStream.range(0, 200_000).map(data::positionOfGet).toArray());
        assertEquals("9374fe1d", Integer.toHexString(ofGets));
    }

    @Test
    void moreEntriesThanAPieceHasAreRight() {
        int entries = (1 << 20) + 100;
        Data data = Data.of(new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, entries, 8));
        for (int position : new int[] {0, (1 << 20) - 1, 1 << 20, entries - 1}) {
            assertEquals(position, data.entry().at(position).number());
            assertEquals(position, data.positionOfRank(position));
        }
    }

    @Test
    void piecesHoldWhatTheRecordsTake() {
        int most = 1 << 20;
        for (int records : new int[] {1, most - 1, most, most + 1, 2 * most + 3}) {
            ByteBuffer[] pieces = new Records(records, 2, ByteOrder.BIG_ENDIAN).pieces();
            assertEquals((records + most - 1) / most, pieces.length);
            assertEquals(
                    2 * records,
                    Arrays.stream(pieces).mapToInt(ByteBuffer::capacity).sum());
        }
    }

    @Test
    void aProgramInAnotherLanguageIsGivenTheSameEntries(@TempDir Path folder) throws Exception {
        Data data = Data.of(spec(KeyKind.STRING, Order.RANDOM));
        data.save(folder);
        byte[] keys = Files.readAllBytes(folder.resolve("keys"));
        byte[] tape = Files.readAllBytes(folder.resolve("tape"));
        ByteBuffer order = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("order")))
                .order(ByteOrder.nativeOrder());
        ByteBuffer gets = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("gets")))
                .order(ByteOrder.nativeOrder());
        EntryFlyweight entry = data.entry();
        for (int position : new int[] {0, 4_321}) {
            entry.at(position);
            assertArrayEquals(
                    entry.newKey(), Arrays.copyOfRange(keys, position * 16, position * 16 + 16));
            int at = position * 33 % (tape.length - 33);
            assertArrayEquals(entry.newValue(), Arrays.copyOfRange(tape, at, at + 33));
            assertEquals(position, order.getInt(entry.rank() * Integer.BYTES));
            assertEquals(data.positionOfGet(position), gets.getInt(position * Integer.BYTES));
        }
    }

    @Test
    void anEntryIsPrintedForPeople() {
        String text = Data.of(new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 100, 1_000))
                .entry()
                .at(42)
                .toString();
        assertTrue(text.startsWith("key 00 00 00 2a (int 42), value 1,000 bytes: "), text);
        assertTrue(text.endsWith(" ..."), text);
        String little = new Data(
                        new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 100, 2),
                        ByteOrder.LITTLE_ENDIAN)
                .entry()
                .at(42)
                .toString();
        assertTrue(
                little.matches(
                        "key 2a 00 00 00 \\(int 42, little-endian\\), value 2 bytes: [0-9a-f]{2}"
                                + " [0-9a-f]{2}"),
                little);
    }

    @Test
    void entriesAreThoseOfThePositionsInTheirOrderAndOneMayComeTwice() {
        Data data = Data.of(spec(KeyKind.STRING, Order.RANDOM));
        int[] positions = {7, ENTRIES - 1, 7, 0};
        Entries entries = data.entries(positions);
        EntryFlyweight expected = data.entry();
        assertEquals(positions.length, entries.count());
        for (int place = 0; place < positions.length; place++) {
            assertArrayEquals(
                    expected.at(positions[place]).newKey(), entries.at(place).newKey());
            assertArrayEquals(expected.newValue(), entries.at(place).newValue());
        }
    }
}
