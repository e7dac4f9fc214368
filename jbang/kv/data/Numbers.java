package kv.data;

import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import kv.store.CaseSpec;
import kv.store.Order;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The numbers behind the keys of a case, each once: which there are, in which order they are
 * written, and in which they are got. All that is random follows from the case's seed.
 */
final class Numbers {

    private static final int RADIX_BITS = 16; // two digits of which hold a number of 31 bits
    private static final int RADIX = 1 << RADIX_BITS;

    private final CaseSpec spec;
    private final Records written; // number of each position in the order of writing
    /** For each rank in ascending order, the position at which its number is written. */
    final Records byRank;
    /** The inverse: for each position, the rank of its number. */
    final Records ranks;
    /** For each turn of getting, the position that is got. */
    final Records gets;

    private Numbers(CaseSpec spec, Records written, Records byRank) {
        this.spec = spec;
        this.written = written;
        this.byRank = byRank;
        ranks = empty(spec.entries());
        for (int rank = 0; rank < spec.entries(); rank++) {
            ranks.set(byRank.get(rank), rank);
        }
        gets = Records.numbers(spec.entries());
        if (spec.order() != Order.SEQUENTIAL) {
            shuffle(gets, spec.entries(), RandomSource.MT.create(spec.seed() + 2));
        }
    }

    /** The numbers that a case's order wants. */
    static Numbers of(CaseSpec spec) {
        UniformRandomProvider random = RandomSource.MT.create(spec.seed());
        if (spec.order() == Order.RANDOM) {
            return drawn(spec, random);
        }
        Records written = Records.numbers(spec.entries());
        if (spec.order() == Order.DENSE) {
            shuffle(written, spec.entries(), random);
        }
        return new Numbers(spec, written, ranked(written, spec.entries()));
    }

    /** Draws numbers until there are as many distinct ones as wanted, those drawn first first. */
    private static Numbers drawn(CaseSpec spec, UniformRandomProvider random) {
        int count = spec.entries();
        Records written = empty(count);
        for (int position = 0; position < count; position++) {
            written.set(position, draw(random));
        }
        while (true) {
            Records byRank = ranked(written, count);
            boolean distinct = true;
            int last = -1;
            for (int rank = 0; rank < count; rank++) {
                int position = byRank.get(rank);
                int number = written.get(position);
                if (number == last) { // it stands further on than its like: equals keep their order
                    written.set(position, draw(random));
                    distinct = false;
                }
                last = number;
            }
            if (distinct) {
                return new Numbers(spec, written, byRank);
            }
        }
    }

    private static int draw(UniformRandomProvider random) {
        return random.nextInt() >>> 1;
    }

    /** The number of a position in the order of writing. */
    int at(int position) {
        return written.get(position);
    }

    /** Numbers that are none of these, for a case of the same order. */
    Numbers absent(CaseSpec other) {
        Records numbers = empty(other.entries());
        Set<Integer> taken = new HashSet<>();
        UniformRandomProvider random = RandomSource.MT.create(spec.seed() + 3);
        for (int position = 0; position < other.entries(); position++) {
            int number = spec.entries() + position;
            if (spec.order() == Order.RANDOM) {
                do {
                    number = draw(random);
                } while (has(number) || !taken.add(number));
            }
            numbers.set(position, number);
        }
        return new Numbers(other, numbers, ranked(numbers, other.entries()));
    }

    private boolean has(int number) {
        int rank = floor(number);
        return rank >= 0 && written.get(byRank.get(rank)) == number;
    }

    /** The rank of the greatest number up to one; -1 where all are greater. */
    int floor(int number) {
        int from = 0;
        for (int to = spec.entries(); from < to; ) {
            int middle = (from + to) >>> 1;
            if (written.get(byRank.get(middle)) <= number) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from - 1;
    }

    /** Positions in ascending order of the numbers there; of equal ones the first comes first. */
    private static Records ranked(Records numbers, int count) {
        Records byLowerDigit = empty(count);
        sort(numbers, Records.numbers(count), byLowerDigit, count, 0);
        Records ranked = empty(count);
        sort(numbers, byLowerDigit, ranked, count, RADIX_BITS);
        return ranked;
    }

    /** Sorts positions by one digit of their numbers; those of one digit keep their order. */
    private static void sort(Records numbers, Records from, Records to, int count, int shift) {
        int[] places = new int[RADIX];
        for (int i = 0; i < count; i++) {
            places[numbers.get(i) >>> shift & RADIX - 1]++;
        }
        int next = 0;
        for (int digit = 0; digit < RADIX; digit++) {
            int first = next;
            next += places[digit];
            places[digit] = first;
        }
        for (int i = 0; i < count; i++) {
            int position = from.get(i);
            to.set(places[numbers.get(position) >>> shift & RADIX - 1]++, position);
        }
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

    private static Records empty(int count) {
        return new Records(count, Integer.BYTES, ByteOrder.nativeOrder());
    }
}
