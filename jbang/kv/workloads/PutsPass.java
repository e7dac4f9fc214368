package kv.workloads;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import kv.bench.Interrupted;
import kv.bench.Observed;
import kv.bench.OverTime;
import kv.bench.Passes;
import kv.bench.Settle;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Store;

/**
 * One pass of {@link PutSettled}. A put has come back when its batch is committed, and the clock is
 * looked at then: once for so many puts, it costs next to nothing.
 */
final class PutsPass implements Passes.Pass {

    private static final int WINDOW_MS = 100;

    private final Passes passes;
    private final Data data;
    private final EntryFlyweight entry;
    private final SplittableRandom random;
    private final int entries;
    private final int half; // that are loaded first
    private Overwrites overwrites;
    private int there; // entries that the database holds, the first in the order of writing
    private int insertedBefore;
    private int[] counts; // puts that came back in each window
    private long longestNs;
    private long puts;
    private Settle debt;

    PutsPass(Passes passes) {
        this.passes = passes;
        this.data = passes.data;
        this.entry = data.entry();
        this.random = new SplittableRandom(data.spec.seed());
        this.entries = data.spec.entries();
        this.half = Math.max(1, entries / 2);
    }

    /** Loads the first half of the entries into a new database, which then settles. */
    void loadHalf() throws Exception {
        passes.database.create();
        passes.database.written();
        data.writtenAnew();
        overwrites = data.overwrites();
        there = 0;
        insertUpTo(half);
        passes.upkeep.settle();
    }

    /** Inserts what is missing, as what comes after it expects all entries. */
    void insertTheRest() throws Exception {
        insertUpTo(entries);
    }

    private void insertUpTo(int end) throws Exception {
        try (Store.Writer writer = passes.database.db().writer()) {
            while (there < end) {
                writer.put(entry.at(there++));
            }
        }
    }

    @Override
    public boolean prepares() {
        return true;
    }

    @Override
    public boolean isTimeBoxed() {
        return true;
    }

    /** Overwrites only: that the store grows is measured. */
    @Override
    public void warmUp() throws Exception {
        put(passes.schedule.warmupSeconds(), 0);
    }

    @Override
    public void timed() throws Exception {
        insertedBefore = there;
        put(passes.schedule.steadySeconds(), entries - there);
    }

    /** Puts for so many seconds; inserts so many entries meanwhile, at most. */
    private void put(double seconds, int inserts) throws Exception {
        long lengthNs = (long) (seconds * 1e9);
        counts = new int[(int) (lengthNs / (WINDOW_MS * 1_000_000L))];
        longestNs = 0;
        puts = 0;
        int first = there;
        try (var writer = new CommittedWriter(passes.database.db())) {
            long start = System.nanoTime();
            long last = start;
            do {
                double elapsed =
                        lengthNs == 0 ? 1 : Math.min(1, (double) (last - start) / lengthNs);
                putBatch(writer, (int) (elapsed * inserts) - (there - first));
                long now = System.nanoTime();
                longestNs = Math.max(longestNs, now - last);
                count((now - start) / (WINDOW_MS * 1_000_000L));
                last = now;
                if (Thread.interrupted()) {
                    throw new Interrupted();
                }
            } while (last - start < lengthNs);
        }
    }

    private void count(long window) {
        puts += CommittedWriter.BATCH;
        if (window < counts.length) {
            counts[(int) window] += CommittedWriter.BATCH;
        }
    }

    /** Every second put inserts, as long as some are due. */
    private void putBatch(CommittedWriter writer, int insertsDue) throws Exception {
        int inserts = insertsDue;
        for (int turn = 0; turn < CommittedWriter.BATCH; turn++) {
            if (turn % 2 == 1 && inserts > 0) {
                inserts--;
                writer.put(entry.at(there++));
            } else {
                int position = random.nextInt(there);
                writer.put(entry.at(position, overwrites.times(position) + 1));
                overwrites.acknowledge(position);
            }
        }
        writer.commit();
    }

    /** Lets it settle, and proves that it holds what was put. */
    @Override
    public void after() throws Exception {
        debt = passes.upkeep.settle();
        AllEntries.check(passes.database.db(), data, there);
    }

    @Override
    public long entries() {
        return puts;
    }

    @Override
    public Observed observed() {
        List<Integer> windows = Arrays.stream(counts).boxed().toList();
        return Observed.over(
                new OverTime(WINDOW_MS, windows, longestNs, there - insertedBefore, debt));
    }
}
