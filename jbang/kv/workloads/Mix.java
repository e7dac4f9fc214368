package kv.workloads;

import java.util.Map;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.store.CaseSpec;

/**
 * Reads, updates, inserts, scans and reads that are followed by an update, mixed by shares as YCSB
 * mixes them, in one thread or in several. Each operation is a transaction of its own: a writer is
 * opened for it and closed, which acknowledges it; a reader is, too, where one that stays open
 * would not see what others wrote since. Every read is checked against what was acknowledged before
 * it began.
 *
 * <p>Its entries are those of the case, of which some have another value afterwards.
 */
public abstract class Mix extends Workload {

    // Of a pass, at most, so that those stores end that sync or rewrite much with each
    private static final int OPERATIONS = 100_000;

    /** Which entry an operation is about. */
    public enum Choice {
        UNIFORM,
        /** A few often, which lie anywhere. */
        ZIPFIAN,
        /** Those inserted last often: of all that were loaded and the thread's own inserts. */
        LATEST
    }

    /**
     * What is mixed.
     *
     * @param shares of the operations, which add up to 1; of one that has none nothing is done
     * @param choice of the entries that are there
     * @param shortestScan entries that a scan has at least, and at most, each number as likely
     */
    public record Recipe(
            Map<Kind, Double> shares, Choice choice, int shortestScan, int longestScan) {

        /** With scans of 1 to 100 entries, as YCSB's. */
        static Recipe of(Map<Kind, Double> shares, Choice choice) {
            return new Recipe(shares, choice, 1, 100);
        }

        boolean has(Kind kind) {
            return shares.containsKey(kind);
        }
    }

    /** What an operation does. */
    public enum Kind {
        READ,
        UPDATE,
        INSERT,
        /**
         * Of an entry that the thread has inserted in the same pass; where none is left, an insert.
         */
        DELETE,
        SCAN,
        /** The last entry up to a key, which is there. */
        FLOOR,
        /** A read of an entry that is followed by an update of it. */
        MODIFY;

        boolean updates() {
            return this == UPDATE || this == MODIFY;
        }
    }

    protected Mix() {
        super(First.LOAD, Leaves.THE_SAME);
    }

    /** What is mixed in a case. */
    protected abstract Recipe recipe(CaseSpec spec);

    /** Operations of a pass, all threads together. */
    protected int operations(CaseSpec spec) {
        return Math.min(spec.entries(), OPERATIONS);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean looksIntoValues() {
        return true;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        try (MixPass pass = new MixPass(recipe(passes.spec), operations(passes.spec), passes)) {
            return passes.measure(this, pass);
        }
    }
}
