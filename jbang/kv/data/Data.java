package kv.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Order;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The entries of one case: the same for every store, made before anything is timed.
 *
 * <p>Keys are the numbers 0..n-1, laid out off-heap in the order of writing. Values are windows
 * onto a tape of seeded random bytes; the tape's length is prime, so windows shift with every lap
 * and no two entries nearby in any order share one. Both can be handed to native stores without a
 * copy.
 */
public final class Data {

    /** Of an entry, at most, off the heap: its key, and its place in two orders. */
    public static final int KEPT_BYTES = KeyKind.STRING.bytes + 2 * Integer.BYTES;

    /** Length in bytes of the tape before it repeats: the largest prime below 2^24. */
    static final int TAPE_BYTES = 16_777_213;
    /**
     * Of compressible values: the second half of each piece repeats the first, as in LevelDB's
     * db_bench. Such values begin with a piece.
     */
    static final int PIECE_BYTES = 100;

    /** What decided these bytes. */
    public final CaseSpec spec;

    final Records keys;
    final ByteBuffer tape;
    /**
     * For each number, the position at which it is written: its inverse is the order of writing.
     */
    private final Records positionOf;

    /** The entries of a case as most stores are given them: integer keys are big-endian. */
    public static Data of(CaseSpec spec) {
        return new Data(spec, ByteOrder.BIG_ENDIAN);
    }

    /**
     * Makes the data set.
     *
     * @param spec what to make
     * @param intKeyOrder byte order of integer keys: big-endian sorts as bytes; LMDB's integer keys
     *     are native
     */
    public Data(CaseSpec spec, ByteOrder intKeyOrder) {
        this.spec = spec;
        Records numbers = Records.numbers(spec.entries());
        if (spec.order() == Order.RANDOM) {
            shuffle(numbers, spec.entries(), RandomSource.MT.create(spec.seed()));
        }
        positionOf = new Records(spec.entries(), Integer.BYTES, ByteOrder.nativeOrder());
        keys = new Records(spec.entries(), spec.keys().bytes, intKeyOrder);
        byte[] digits = new byte[KeyKind.STRING.bytes];
        for (int p = 0; p < spec.entries(); p++) {
            int number = numbers.get(p);
            positionOf.set(number, p);
            if (spec.intKeys()) {
                keys.set(p, number);
            } else {
                keys.set(p, padded(number, digits));
            }
        }
        tape = tape(spec);
    }

    /** Fisher and Yates's shuffle, from the last to the first. */
    private static void shuffle(Records numbers, int count, UniformRandomProvider random) {
        for (int left = count; left > 1; left--) {
            int chosen = random.nextInt(left);
            int number = numbers.get(chosen);
            numbers.set(chosen, numbers.get(left - 1));
            numbers.set(left - 1, number);
        }
    }

    private static byte[] padded(int number, byte[] digits) {
        for (int i = digits.length - 1; i >= 0; i--, number /= 10) {
            digits[i] = (byte) ('0' + number % 10);
        }
        return digits;
    }

    private static ByteBuffer tape(CaseSpec spec) {
        UniformRandomProvider random = RandomSource.MT_64.create(spec.seed() + 1);
        byte[] bytes = new byte[TAPE_BYTES];
        random.nextBytes(bytes);
        if (spec.content() == Content.HALF) {
            for (int at = 0; at + PIECE_BYTES <= TAPE_BYTES; at += PIECE_BYTES) {
                System.arraycopy(bytes, at, bytes, at + PIECE_BYTES / 2, PIECE_BYTES / 2);
            }
        }
        ByteBuffer tape = ByteBuffer.allocateDirect(TAPE_BYTES + spec.valueBytes());
        while (tape.hasRemaining()) { // the first bytes again at the end, so that no window wraps
            tape.put(bytes, 0, Math.min(bytes.length, tape.remaining()));
        }
        return tape;
    }

    /** A new flyweight onto these entries; one per thread. */
    public EntryFlyweight entry() {
        return new EntryFlyweight(this);
    }

    /**
     * Writes what makes the entries into three files of a folder, for a program in another
     * language: {@code keys}, in the order of writing; {@code tape}, from which the value of
     * position p is taken at p x value bytes, modulo its length less a value; {@code order}, the
     * positions in ascending order of keys, 4 bytes each in native order.
     */
    public void save(Path folder) throws IOException {
        for (var file : Map.of(
                        "keys",
                        keys.pieces(),
                        "tape",
                        new ByteBuffer[] {tape.duplicate().clear()},
                        "order",
                        positionOf.pieces())
                .entrySet()) {
            try (FileChannel channel = FileChannel.open(
                    folder.resolve(file.getKey()),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE)) {
                for (ByteBuffer piece : file.getValue()) {
                    while (piece.hasRemaining()) {
                        channel.write(piece);
                    }
                }
            }
        }
    }

    /** Position of the entry that comes {@code rank}-th in ascending key order. */
    public int positionOfRank(int rank) {
        return positionOf.get(rank);
    }
}
