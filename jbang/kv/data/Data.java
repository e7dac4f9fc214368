package kv.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.function.IntFunction;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.Entries;
import kv.store.KeyKind;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The entries of one case: the same for every store, made before anything is timed.
 *
 * <p>Keys are the numbers that {@link Numbers} draws, laid out off-heap in the order of writing.
 * Values are windows onto a tape of seeded random bytes; the tape's length is prime, so windows
 * shift with every lap and no two entries nearby in any order share one. Both can be handed to
 * native stores without a copy.
 *
 * <p>Values have generations: those of entries made after {@link #renew()} have other bytes under
 * the same keys, so that an overwrite that is lost is seen. Of entries that are overwritten one by
 * one, {@link Overwrites} know how many generations further each is.
 */
public final class Data {

    /** Of an entry, at most, off the heap: its key, its number, and its place in three orders. */
    public static final int KEPT_BYTES = KeyKind.STRING.bytes + 4 * Integer.BYTES;

    /** Length in bytes of the tape before it repeats: the largest prime below 2^24. */
    static final int TAPE_BYTES = 16_777_213;
    /**
     * Of compressible values: the second half of each piece repeats the first, as in LevelDB's
     * db_bench. Such values begin with a piece.
     */
    static final int PIECE_BYTES = 100;
    /** How far on the tape the next generation of a value is. */
    public static final int GENERATION_BYTES = 7_368_787;

    /** What decided these bytes. */
    public final CaseSpec spec;

    final Records keys;
    final ByteBuffer tape;
    final Numbers numbers;
    private final ByteOrder intKeyOrder;
    private int generation;
    private Overwrites overwrites; // of single entries since then; null where there are none

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
        this(spec, Numbers.of(spec), intKeyOrder, tape(spec));
    }

    private Data(CaseSpec spec, Numbers numbers, ByteOrder intKeyOrder, ByteBuffer tape) {
        this.spec = spec;
        this.numbers = numbers;
        this.intKeyOrder = intKeyOrder;
        this.tape = tape;
        keys = new Records(spec.entries(), spec.keys().bytes, intKeyOrder);
        byte[] digits = new byte[KeyKind.STRING.bytes];
        for (int p = 0; p < spec.entries(); p++) {
            if (spec.intKeys()) {
                keys.set(p, numbers.at(p));
            } else {
                keys.set(p, padded(numbers.at(p), digits));
            }
        }
    }

    /**
     * As many entries as are wanted, none of whose keys is one of these: to ask for what was never
     * written. Between these keys where they are sparse, beyond them where they are not.
     */
    public Data absent(int entries) {
        CaseSpec other = spec.withSize(entries, spec.valueBytes());
        return new Data(other, numbers.absent(other), intKeyOrder, tape);
    }

    /** The values of entries made from now on are a new generation. */
    public void renew() {
        generation += 1 + (overwrites == null ? 0 : overwrites.furthest());
        overwrites = null;
    }

    /** All entries are written anew, with the values of this generation. */
    public void writtenAnew() {
        overwrites = null;
    }

    /** Of the values that entries made now have. */
    int generation() {
        return generation;
    }

    /** What is overwritten entry by entry, until all are written anew. */
    public synchronized Overwrites overwrites() {
        if (overwrites == null) {
            overwrites = new Overwrites(spec.entries());
        }
        return overwrites;
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

    /** A new flyweight onto these entries, with the values of this generation; one per thread. */
    public EntryFlyweight entry() {
        return new EntryFlyweight(this, generation);
    }

    /**
     * Several of these entries, with a flyweight of their own; who changes the array has others.
     */
    public Entries entries(int... positions) {
        return new Positions(entry(), positions);
    }

    /** Entries as they were written last, for who compares; one per thread. */
    public IntFunction<EntryFlyweight> newest() {
        EntryFlyweight entry = entry();
        Overwrites since = overwrites;
        return since == null ? entry::at : position -> entry.at(position, since.times(position));
    }

    /**
     * Writes what makes the entries into four files of a folder, for a program in another language:
     * {@code keys}, in the order of writing; {@code tape}, from which the value of position p is
     * taken at p x value bytes, modulo its length less a value; {@code order}, the positions in
     * ascending order of keys, and {@code gets}, the positions in the order of getting, both 4
     * bytes each in native order.
     */
    public void save(Path folder) throws IOException {
        for (var file : Map.of(
                        "keys",
                        keys.pieces(),
                        "tape",
                        new ByteBuffer[] {tape.duplicate().clear()},
                        "order",
                        numbers.byRank.pieces(),
                        "gets",
                        numbers.gets.pieces())
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
        return numbers.byRank.get(rank);
    }

    /** Rank of the greatest key up to that of another's entry; -1 where all are greater. */
    public int floorRank(EntryFlyweight other) {
        return numbers.floor(other.number());
    }

    /**
     * Position of the entry that is got {@code turn}-th by key: where keys were not written in
     * order, in an order that has nothing to do with that of writing or of the keys.
     */
    public int positionOfGet(int turn) {
        return numbers.gets.get(turn);
    }
}
