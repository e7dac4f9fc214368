package kv.workloads;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import kv.bench.OperationTimes;
import kv.bench.Passes;
import kv.bench.Team;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Store;

/** One pass of {@link Commits}: each thread overwrites entries of its own share. */
final class CommitsPass implements Passes.Pass {

    private static final int SHARE_OF_STEADY_SECONDS = 10; // one in so many

    private final Passes passes;
    private final int batch;
    private final Team team;
    private final Data data;
    private final OperationTimer timer;
    private final AtomicLong commits = new AtomicLong();
    private Overwrites overwrites;

    CommitsPass(Passes passes, int batch) {
        this.passes = passes;
        this.batch = batch;
        this.team = passes.team;
        this.data = passes.data;
        this.timer = OperationTimer.closed(team.size);
    }

    @Override
    public void before() {
        overwrites = data.overwrites();
        commits.set(0);
    }

    /** The check that follows a pass costs as much. */
    @Override
    public boolean prepares() {
        return true;
    }

    @Override
    public boolean isTimeBoxed() {
        return true;
    }

    @Override
    public void warmUp() throws Exception {
        commitFor(passes.schedule.warmupSeconds());
    }

    @Override
    public void timed() throws Exception {
        commitFor(passes.schedule.steadySeconds() / SHARE_OF_STEADY_SECONDS);
    }

    private void commitFor(double seconds) throws Exception {
        long lengthNs = (long) (seconds * 1e9);
        team.run(thread -> {
            if (team.size == 1) {
                try (var writer = new CommittedWriter(passes.database.db())) {
                    new Committer(thread, writer).run(lengthNs);
                }
            } else {
                new Committer(thread, null).run(lengthNs);
            }
        });
    }

    @Override
    public void after() throws Exception {
        AllEntries.check(passes.database.db(), data, data.spec.entries());
    }

    @Override
    public void warmedUp() {
        timer.reset();
    }

    @Override
    public long entries() {
        return commits.get() * batch;
    }

    @Override
    public OperationTimes operations() {
        return timer.recorded();
    }

    /** The commits of one thread. */
    private final class Committer implements OperationTimer.Operation {

        private final int thread;
        private final int from;
        private final int entries;
        private final CommittedWriter writer; // null: each commit has one of its own
        private final EntryFlyweight entry = data.entry();
        private final SplittableRandom random;

        Committer(int thread, CommittedWriter writer) {
            this.thread = thread;
            this.writer = writer;
            from = team.share(thread, data.spec.entries());
            entries = team.share(thread + 1, data.spec.entries()) - from;
            random = new SplittableRandom(data.spec.seed() + thread);
        }

        void run(long lengthNs) throws Exception {
            long end = System.nanoTime() + lengthNs;
            int done = 0;
            do {
                timer.time(thread, done++, this);
            } while (System.nanoTime() < end && !team.stopped());
            commits.addAndGet(done);
        }

        @Override
        public void on(int turn) throws Exception {
            if (writer != null) {
                for (int left = batch; left > 0; left--) {
                    writer.put(drawn());
                }
                writer.commit();
                return;
            }
            // One that goes on with the next transaction can keep others from theirs
            try (Store.Writer one = passes.database.db().writer()) {
                for (int left = batch; left > 0; left--) {
                    one.put(drawn());
                }
            }
        }

        /** A random entry with a new value. */
        private EntryFlyweight drawn() {
            int position = from + random.nextInt(entries);
            overwrites.acknowledge(position);
            return entry.at(position, overwrites.times(position));
        }
    }
}
