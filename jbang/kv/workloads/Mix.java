package kv.workloads;

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
     * Shares of the operations, which add up to 1.
     *
     * @param scans of 1 to 100 entries, each number as likely
     * @param modifications reads of an entry, each followed by an update of it
     * @param choice of the entries that are there
     */
    public record Recipe(
            double reads,
            double updates,
            double inserts,
            double scans,
            double modifications,
            Choice choice) {}

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
