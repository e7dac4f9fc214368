package kv.workloads;

import java.util.concurrent.atomic.AtomicLong;
import kv.bench.Observed;
import kv.bench.OperationTimes;
import kv.bench.Passes;
import kv.bench.Team;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Setting;
import kv.store.Store;

/** One pass of {@link GetBesideWriter}: each thread gets its share of the entries, and goes on. */
final class GetsBesideWriterPass implements Passes.Pass, AutoCloseable {

    private static final int WRITES_PER_SECOND = 10_000; // where the case does not say
    private static final int SHARE_OF_STEADY_SECONDS = 5; // one in so many, as it settles sooner
    private static final long RENEWED_AFTER_NS = 10_000_000;

    private final Passes passes;
    private final Team team;
    private final Data data;
    private final Overwrites overwrites;
    private final OperationTimer timer;
    private final SteadyWriter writer;
    private final AtomicLong gets = new AtomicLong();
    private long bytesBefore;
    private long grownBytes;

    GetsBesideWriterPass(Passes passes) throws Exception {
        this.passes = passes;
        this.team = passes.team;
        this.data = passes.data;
        this.overwrites = data.overwrites();
        this.timer = OperationTimer.closed(team.size);
        this.bytesBefore = passes.upkeep.allocatedBytes();
        int perSecond = data.spec.count(Setting.WRITES, WRITES_PER_SECOND);
        this.writer = SteadyWriter.committing(passes.database.db(), data, perSecond);
    }

    @Override
    public void before() {
        gets.set(0);
        writer.mark();
    }

    @Override
    public boolean isTimeBoxed() {
        return true;
    }

    @Override
    public void warmUp() throws Exception {
        getFor(passes.schedule.warmupSeconds());
    }

    @Override
    public void timed() throws Exception {
        getFor(passes.schedule.steadySeconds() / SHARE_OF_STEADY_SECONDS);
    }

    private void getFor(double seconds) throws Exception {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        team.run(thread -> {
            try (Gets mine = new Gets(thread)) {
                mine.run(end);
            }
        });
    }

    @Override
    public void after() throws Exception {
        writer.check();
        grownBytes = passes.upkeep.allocatedBytes() - bytesBefore;
    }

    @Override
    public void warmedUp() {
        writer.forget();
        timer.reset();
        bytesBefore += grownBytes;
    }

    @Override
    public long entries() {
        return gets.get();
    }

    @Override
    public OperationTimes operations() {
        return timer.recorded();
    }

    @Override
    public Observed observed() {
        return Observed.beside(writer.rate(), grownBytes);
    }

    @Override
    public void close() throws Exception {
        writer.close();
    }

    /** The gets of one thread. */
    private final class Gets implements OperationTimer.Operation, AutoCloseable {

        private final int thread;
        private final EntryFlyweight entry = data.entry();
        private final Xxh64Sink got = new Xxh64Sink(data);
        private final Xxh64Sink due = new Xxh64Sink(data);
        private Store.Reader reader;
        private long opened; // ns
        private boolean old; // the reader is
        private long seen; // writes that were acknowledged when the reader was opened

        Gets(int thread) throws Exception {
            this.thread = thread;
            open();
        }

        private void open() throws Exception {
            seen = writer.acknowledged();
            reader = passes.database.db().reader();
            opened = System.nanoTime();
        }

        void run(long end) throws Exception {
            int entries = data.spec.entries();
            int from = team.share(thread, entries);
            int least = team.share(thread + 1, entries) - from;
            int done = 0;
            for (long now = System.nanoTime();
                    (done < least || now < end) && !team.stopped();
                    now = System.nanoTime()) {
                int position = data.positionOfGet(Math.floorMod(from + done++, entries));
                old = now - opened > RENEWED_AFTER_NS;
                long acknowledged = writer.acknowledged();
                got.reset();
                timer.time(thread, position, this);
                check(position, acknowledged);
            }
            gets.addAndGet(done);
        }

        /** A get that finds its reader too old opens another first. */
        @Override
        public void on(int position) throws Exception {
            if (old) {
                reader.close();
                open();
            }
            reader.get(entry.at(position), got);
            reader.flush(got);
        }

        /**
         * Proves that what was got is not older than when its reader was opened, and not newer than
         * what is written by now.
         */
        private void check(int position, long acknowledged) {
            int known = overwrites.times(position);
            if (isGot(position, known)) {
                return;
            }
            long begun = writer.begun();
            int oldest = known - writer.writesOf(position, seen, begun);
            int newest = known + writer.writesOf(position, acknowledged, begun);
            for (int times = newest; times >= Math.max(0, oldest); times--) {
                if (isGot(position, times)) {
                    return;
                }
            }
            throw new WrongData((got.count == 0 ? "nothing" : "a value that it does not have")
                    + " came back beside a writer, of " + entry.at(position, known));
        }

        private boolean isGot(int position, int times) {
            due.reset();
            due.accept(entry.at(position, times));
            return got.count == 1 && got.digest() == due.digest();
        }

        @Override
        public void close() throws Exception {
            reader.close();
        }
    }
}
