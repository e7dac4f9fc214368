package kv.workloads;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Store;

/**
 * A thread that overwrites random entries, each with a new value, at a fixed rate, while others
 * read (exhibit E03): one by one, or in batches, each of different entries and committed.
 *
 * <p>What it began to write and what the store has acknowledged it keeps in the order of writing,
 * so that whoever reads an entry knows which of its values it may find.
 */
final class SteadyWriter implements AutoCloseable {

    private static final int KEPT = 1 << 20; // writes, the newest: those of a minute and more

    private final Thread thread;
    private final Data data;
    private final Overwrites overwrites;
    private final long intervalNs; // of a batch
    private final int[] batch; // positions
    private final boolean commits;
    private final int[] positions = new int[KEPT];
    private volatile boolean stopped;
    private volatile boolean forgets; // what it is behind
    private volatile Throwable failure;
    private volatile long begun;
    private volatile long acknowledged;
    private long markedWrites;
    private long markedNs;
    private long writes;
    private long ns;

    /** Writes one by one, and commits when it is closed. */
    SteadyWriter(Store.Db db, Data data, int perSecond) {
        this(db, data, perSecond, 1, false);
    }

    /** Writes in committed batches, each at once. */
    static SteadyWriter committing(Store.Db db, Data data, int perSecond) {
        int batch = Math.min(CommittedWriter.BATCH, data.spec.entries());
        return new SteadyWriter(db, data, perSecond, batch, true);
    }

    private SteadyWriter(Store.Db db, Data data, int perSecond, int batch, boolean commits) {
        this.data = data;
        this.overwrites = data.overwrites();
        this.intervalNs = batch * 1_000_000_000L / perSecond;
        this.batch = new int[batch];
        this.commits = commits;
        thread = new Thread(
                () -> {
                    try (var writer = new CommittedWriter(db)) {
                        write(writer);
                    } catch (Throwable e) {
                        failure = e;
                    }
                },
                "steady writer");
        thread.start();
    }

    private void write(CommittedWriter writer) throws Exception {
        SplittableRandom random = new SplittableRandom(data.spec.seed());
        EntryFlyweight entry = data.entry();
        long start = System.nanoTime();
        for (long number = 0; !stopped; number++) {
            if (forgets) {
                forgets = false;
                start = System.nanoTime();
                number = 0;
            }
            long due = start + number * intervalNs;
            for (long left = due - System.nanoTime();
                    left > 0 && !stopped;
                    left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            for (int place = 0; place < batch.length; place++) {
                batch[place] = drawn(random, place);
                put(writer, entry, batch[place]);
            }
            if (commits) {
                writer.commit();
            }
            for (int position : batch) {
                overwrites.acknowledge(position);
            }
            acknowledged = begun;
        }
    }

    private void put(CommittedWriter writer, EntryFlyweight entry, int position) throws Exception {
        long number = begun;
        positions[(int) (number % KEPT)] = position;
        begun = number + 1;
        writer.put(entry.at(position, overwrites.times(position) + 1));
    }

    /** An entry that is not in the batch so far. */
    private int drawn(SplittableRandom random, int places) {
        while (true) {
            int position = random.nextInt(data.spec.entries());
            boolean twice = false;
            for (int place = 0; place < places; place++) {
                twice |= batch[place] == position;
            }
            if (!twice) {
                return position;
            }
        }
    }

    /** Writes that it has begun. */
    long begun() {
        return begun;
    }

    /** Of these, the first that the store has acknowledged. */
    long acknowledged() {
        return acknowledged;
    }

    /** How many of the writes from one number to before another are of an entry. */
    int writesOf(int position, long from, long to) {
        int count = 0;
        for (long number = Math.max(from, to - KEPT); number < to; number++) {
            count += positions[(int) (number % KEPT)] == position ? 1 : 0;
        }
        return count;
    }

    /** A measured pass begins. */
    void mark() {
        markedWrites = acknowledged;
        markedNs = System.nanoTime();
    }

    /**
     * A measured pass has ended.
     *
     * @throws Exception what the writer failed with
     */
    void check() throws Exception {
        writes += acknowledged - markedWrites;
        ns += System.nanoTime() - markedNs;
        if (failure != null) {
            throw failure instanceof Exception e ? e : new IllegalStateException(failure);
        }
    }

    /**
     * Writes a second that it achieved during the passes so far that were marked, since
     * {@link #forget()}.
     */
    double rate() {
        return writes * 1e9 / ns;
    }

    /** Forgets the passes so far, and what they left it behind: they were warming up. */
    void forget() {
        writes = 0;
        ns = 0;
        forgets = true;
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        LockSupport.unpark(thread);
        thread.join();
    }
}
