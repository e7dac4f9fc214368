package kv.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import kv.bench.Database;
import kv.bench.Workload;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Setting;
import kv.store.Store;
import kv.workloads.Crc32Sink;
import kv.workloads.ReachSink;
import kv.workloads.VerifyingSink;

/**
 * What a comparison of all entries in one thread leaves open of a store's contract: that threads
 * that read at once get what each asked for, that nothing is found which was not written, and that
 * an entry overwritten has its new value, at once and when the database is opened again. Never
 * timed, and done last, as it changes values.
 */
final class Promises {

    private static final int SAMPLE = 1_000; // entries that are overwritten
    private static final int ABSENT = 100; // keys that were not written

    private final Store store;
    private final CaseSpec spec;
    private final Database database;
    private final Data data;
    private final List<Workload> used;

    /** @param used workloads that ran: what none of them relies on is not asked for */
    Promises(Store store, Database database, Data data, List<Workload> used) {
        this.store = store;
        this.spec = data.spec;
        this.database = database;
        this.data = data;
        this.used = used;
    }

    /**
     * Asks for all of it.
     *
     * @throws Exception what the store throws, or that something else came back than is right
     */
    void check() throws Exception {
        if (spec.threads() > 1) {
            checkThreads();
        }
        if (!store.describe().findsByNumber()) {
            checkAbsent();
        }
        if (spec.settings().containsKey(Setting.WRITES) || used.stream().anyMatch(Workload::ages)) {
            checkOverwritten();
        }
    }

    private boolean scans() {
        return used.stream().anyMatch(each -> each.needs().contains(Capability.SCAN));
    }

    /** Each thread gets a share of its own, and scans all, while the others do. */
    private void checkThreads() throws Exception {
        int threads = spec.threads();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch opened = new CountDownLatch(threads);
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                all.add(pool.submit(() -> {
                    read(number, opened);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            pool.shutdownNow();
        }
    }

    private void read(int thread, CountDownLatch opened) throws Exception {
        int from = (int) ((long) spec.entries() * thread / spec.threads());
        int to = (int) ((long) spec.entries() * (thread + 1) / spec.threads());
        VerifyingSink due = crc32();
        VerifyingSink got = crc32();
        IntFunction<EntryFlyweight> newest = data.newest();
        try (Store.Reader reader = opened(opened)) {
            for (int position = from; position < to; position++) {
                EntryFlyweight entry = newest.apply(position);
                reader.get(entry, got);
                due.accept(entry);
            }
            reader.flush(got);
            if (got.digest() != due.digest()) {
                throw new BrokenPromise("one of " + spec.threads()
                        + " threads got something else than what it asked for");
            }
            if (scans()) {
                VerifyingSink scanned = crc32();
                reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, scanned);
                scanned.check();
            }
        }
    }

    /** A reader, when all threads have theirs or have failed to open it. */
    private Store.Reader opened(CountDownLatch opened) throws Exception {
        Store.Reader reader;
        try {
            reader = database.db().reader();
        } finally {
            opened.countDown();
        }
        opened.await();
        return reader;
    }

    private void checkAbsent() throws Exception {
        VerifyingSink sink = new ReachSink(data);
        Data other = data.absent(ABSENT);
        EntryFlyweight entry = other.entry();
        try (Store.Reader reader = database.db().reader()) {
            for (int position = 0; position < other.spec.entries(); position++) {
                reader.get(entry.at(position), sink);
                reader.flush(sink);
                if (sink.digest() != 0) {
                    throw new BrokenPromise("a get found what was never written, of " + entry);
                }
            }
        }
    }

    private void checkOverwritten() throws Exception {
        data.renew();
        int sample = Math.min(SAMPLE, spec.entries());
        EntryFlyweight entry = data.entry();
        try (Store.Writer writer = database.db().writer()) {
            for (int i = 0; i < sample; i++) {
                writer.put(sampled(entry, i, sample));
            }
        }
        compare(sample, "");
        database.close();
        database.open();
        compare(sample, " when the database was opened again");
        if (scans()) {
            VerifyingSink sink = new ReachSink(data);
            try (Store.Reader reader = database.db().reader()) {
                reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, sink);
            }
            sink.check(); // an overwritten entry is one
        }
    }

    private EntryFlyweight sampled(EntryFlyweight entry, int i, int sample) {
        return entry.at(data.positionOfRank((int) ((long) i * spec.entries() / sample)));
    }

    private void compare(int sample, String when) throws Exception {
        VerifyingSink due = crc32();
        VerifyingSink got = crc32();
        EntryFlyweight entry = data.entry();
        try (Store.Reader reader = database.db().reader()) {
            for (int i = 0; i < sample; i++) {
                due.reset();
                got.reset();
                reader.get(sampled(entry, i, sample), got);
                reader.flush(got);
                due.accept(entry);
                if (got.digest() != due.digest()) {
                    throw new BrokenPromise("an overwritten entry was not what was put last" + when
                            + ": this was due: " + entry);
                }
            }
        }
    }

    private VerifyingSink crc32() {
        return new Crc32Sink(data);
    }
}
