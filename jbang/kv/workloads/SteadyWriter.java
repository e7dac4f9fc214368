package kv.workloads;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Store;

/**
 * A thread that overwrites random entries, each with a new value, at a fixed rate, while others
 * read (exhibit E03).
 */
final class SteadyWriter implements AutoCloseable {

    private final Thread thread;
    private volatile boolean stopped;
    private volatile Throwable failure;
    private volatile long written;
    private long markedWrites;
    private long markedNs;
    private long writes;
    private long ns;

    SteadyWriter(Store.Db db, Data data, int perSecond) {
        thread = new Thread(
                () -> {
                    try (Store.Writer writer = db.writer()) {
                        write(writer, data, perSecond);
                    } catch (Throwable e) {
                        failure = e;
                    }
                },
                "steady writer");
        thread.start();
    }

    private void write(Store.Writer writer, Data data, int perSecond) throws Exception {
        SplittableRandom random = new SplittableRandom(data.spec.seed());
        EntryFlyweight entry = data.entry();
        Overwrites overwrites = data.overwrites();
        long start = System.nanoTime();
        for (long number = 0; !stopped; number++) {
            long due = start + number * 1_000_000_000L / perSecond;
            for (long left = due - System.nanoTime();
                    left > 0 && !stopped;
                    left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            int position = random.nextInt(data.spec.entries());
            writer.put(entry.at(position, overwrites.times(position) + 1));
            overwrites.acknowledge(position);
            written = number + 1;
        }
    }

    /** A measured pass begins. */
    void mark() {
        markedWrites = written;
        markedNs = System.nanoTime();
    }

    /**
     * A measured pass has ended.
     *
     * @throws Exception what the writer failed with
     */
    void check() throws Exception {
        writes += written - markedWrites;
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

    /** Forgets the passes so far: they were warming up. */
    void forget() {
        writes = 0;
        ns = 0;
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        LockSupport.unpark(thread);
        thread.join();
    }
}
