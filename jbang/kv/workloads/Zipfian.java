package kv.workloads;

import java.util.SplittableRandom;

/**
 * Draws items of which a few are asked for often: the generators of YCSB, with a seed, which those
 * have not (site.ycsb.generator.ZipfianGenerator and ScrambledZipfianGenerator, 0.17.0; the formula
 * is that of Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD 1994).
 */
final class Zipfian {

    /** The exponent: an item's share falls with its rank to this power. */
    static final double THETA = 0.99;

    // YCSB scrambles as many items, whatever the number of entries, with their zeta as a constant
    private static final long SCRAMBLED_ITEMS = 10_000_000_000L;
    private static final double SCRAMBLED_ZETA = 26.46902820178302;

    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 1099511628211L;

    private final long items;
    private final double zeta;
    private final double eta;
    private final double second; // of the sum up to this, the second item

    private Zipfian(long items, double zeta) {
        this.items = items;
        this.zeta = zeta;
        this.second = zeta(2);
        this.eta = (1 - Math.pow(2.0 / items, 1 - THETA)) / (1 - second / zeta);
    }

    /** Of so many items. */
    static Zipfian of(int items) {
        return new Zipfian(items, zeta(items));
    }

    /** Of the items that {@link #scrambled} spreads. */
    static Zipfian scrambled() {
        return new Zipfian(SCRAMBLED_ITEMS, SCRAMBLED_ZETA);
    }

    /** The sum of the shares of so many items, that of the first being 1. */
    static double zeta(int items) {
        double sum = 0;
        for (int rank = 1; rank <= items; rank++) {
            sum += 1 / Math.pow(rank, THETA);
        }
        return sum;
    }

    /** An item from 0, which is the most popular, to items - 1. */
    long draw(SplittableRandom random) {
        double u = random.nextDouble();
        double sum = u * zeta;
        if (sum < 1) {
            return 0;
        }
        if (sum < second) {
            return 1;
        }
        return Math.min(items - 1, (long) (items * Math.pow(eta * u - eta + 1, 1 / (1 - THETA))));
    }

    /** One of so many entries, the popular ones of which lie anywhere. */
    int draw(SplittableRandom random, int entries) {
        return (int) (fnv(draw(random)) % entries);
    }

    /** The FNV-1a hash of a number's eight bytes, without its sign, as YCSB has it. */
    static long fnv(long number) {
        long hash = FNV_OFFSET;
        for (int bytes = 0; bytes < Long.BYTES; bytes++, number >>= Byte.SIZE) {
            hash = (hash ^ number & 0xff) * FNV_PRIME;
        }
        return Math.abs(hash);
    }
}
