package kv;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.ArraySampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The entries of one case: the same for every store, made before anything is timed.
 *
 * <p>Keys are the numbers 0..n-1, laid out off-heap in the order of writing. Values are windows onto a tape of
 * seeded random bytes; the tape's length is prime, so windows shift with every lap and no two entries nearby in any
 * order share one. Both can be handed to native stores without a copy.
 */
public final class Data {

    /** Length in bytes of the tape before it repeats: the largest prime below 2^24. */
    static final int TAPE_BYTES = 16_777_213;

    /** What decided these bytes. */
    public final Shape shape;
    final ByteBuffer keys;
    final ByteBuffer tape;
    /** For each number, the position at which it is written: its inverse is the order of writing. */
    private final int[] positionOf;
    private final Map<Sink.Mode, Long> expected = new EnumMap<>(Sink.Mode.class);

    /**
     * Makes the data set.
     *
     * @param shape       what to make
     * @param intKeyOrder byte order of integer keys: big-endian sorts as bytes; LMDB's integer keys are native
     */
    public Data(Shape shape, ByteOrder intKeyOrder) {
        this.shape = shape;
        int[] numbers = new int[shape.entries()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i;
        }
        if (!shape.sequential()) {
            ArraySampler.shuffle(RandomSource.MT.create(shape.seed()), numbers);
        }
        positionOf = new int[numbers.length];
        keys = ByteBuffer.allocateDirect(numbers.length * shape.keys().bytes).order(intKeyOrder);
        byte[] digits = new byte[KeyKind.STRING.bytes];
        for (int p = 0; p < numbers.length; p++) {
            positionOf[numbers[p]] = p;
            if (shape.intKeys()) {
                keys.putInt(numbers[p]);
            } else {
                keys.put(padded(numbers[p], digits));
            }
        }
        tape = tape(shape);
    }

    private static byte[] padded(int number, byte[] digits) {
        for (int i = digits.length - 1; i >= 0; i--, number /= 10) {
            digits[i] = (byte) ('0' + number % 10);
        }
        return digits;
    }

    private static ByteBuffer tape(Shape shape) {
        UniformRandomProvider random = RandomSource.MT_64.create(shape.seed() + 1);
        byte[] bytes = new byte[TAPE_BYTES];
        random.nextBytes(bytes);
        ByteBuffer tape = ByteBuffer.allocateDirect(TAPE_BYTES + shape.valueBytes());
        while (tape.hasRemaining()) {  // the first bytes again at the end, so that no window wraps
            tape.put(bytes, 0, Math.min(bytes.length, tape.remaining()));
        }
        return tape;
    }

    /** A new flyweight onto these entries; one per thread. */
    public Entry entry() {
        return new Entry(this);
    }

    /** Position of the entry that comes {@code rank}-th in ascending key order. */
    int positionOfRank(int rank) {
        return positionOf[rank];
    }

    /** What {@link Sink#digest()} must say after all entries were read in ascending order in that mode. */
    long expected(Sink.Mode mode) {
        return expected.computeIfAbsent(mode, m -> {
            Sink sink = new Sink(this, m);
            Entry entry = entry();
            for (int rank = 0; rank < shape.entries(); rank++) {
                entry.at(positionOf[rank]);
                sink.accept(entry.keyAddress(), entry.keyBytes(), entry.valueAddress(), entry.valueBytes());
            }
            return sink.digest();
        });
    }
}
