package kv.bench;

import java.util.Arrays;
import java.util.stream.Stream;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Direction;
import kv.store.Setting;
import kv.store.Store;
import kv.store.Workload;

/**
 * Several threads that read one database, each with a reader and a sink of its own: each gets its
 * share of the entries by key, or scans them all. Where the case says so one more thread writes
 * meanwhile, and the time of each single get is taken.
 */
final class ThreadsReadPass implements Passes.Pass, AutoCloseable {

    private final Team team;
    private final Data data;
    private final Workload workload;
    private final VerifyingSink[] sinks;
    private final Store.Reader[] readers;
    // Of each get; null where nobody writes, and for a scan: each costs two looks at the clock
    private final OperationTimer timer;
    private final SteadyWriter writer; // null likewise

    ThreadsReadPass(Team team, Store.Db db, Data data, Workload workload, Sinks making)
            throws Exception {
        this.team = team;
        this.data = data;
        this.workload = workload;
        this.readers = new Store.Reader[team.size];
        this.sinks = Stream.generate(() -> making.digesting(workload.digest))
                .limit(team.size)
                .toArray(VerifyingSink[]::new);
        boolean written = data.spec.settings().containsKey(Setting.WRITES);
        timer = written && !workload.scan ? OperationTimer.closed(team.size) : null;
        making.prepare(workload.digest);
        team.run(thread -> readers[thread] = db.reader());
        writer = written ? new SteadyWriter(db, data, data.spec.count(Setting.WRITES, 1)) : null;
    }

    /** All entries once, or once for each thread that scans. */
    @Override
    public long entries() {
        return (long) data.spec.entries() * (workload.scan ? team.size : 1);
    }

    @Override
    public void before() {
        Arrays.stream(sinks).forEach(VerifyingSink::reset);
        if (writer != null) {
            writer.mark();
        }
    }

    @Override
    public void timed() throws Exception {
        team.run(thread -> {
            switch (workload) {
                case READ_KEY, READ_KEY_XXH64 -> get(thread);
                case READ_REV -> scan(thread, Direction.BACKWARDS);
                default -> scan(thread, Direction.FORWARDS);
            }
        });
    }

    private void scan(int thread, Direction direction) throws Exception {
        readers[thread].scan(null, Store.Reader.ALL, direction, sinks[thread]);
    }

    private void get(int thread) throws Exception {
        Store.Reader reader = readers[thread];
        VerifyingSink sink = sinks[thread];
        EntryFlyweight entry = data.entry();
        OperationTimer.Operation get = turn -> reader.get(entry.at(data.positionOfGet(turn)), sink);
        int end = team.share(thread + 1, data.spec.entries());
        for (int turn = team.share(thread, data.spec.entries());
                turn < end && !team.stopped();
                turn++) {
            if (timer == null) {
                get.on(turn);
            } else {
                timer.time(thread, turn, get);
            }
        }
        reader.flush(sink);
    }

    /**
     * Proves that each scan, or all shares together, consumed exactly the entries written, and that
     * the writer did not fail.
     */
    @Override
    public void after() throws Exception {
        if (writer != null) {
            writer.check();
        }
        if (workload.scan) {
            Arrays.stream(sinks).forEach(VerifyingSink::check);
        } else {
            sinks[0].checkWith(Arrays.asList(sinks).subList(1, sinks.length));
        }
    }

    @Override
    public void warmedUp() {
        if (writer != null) {
            writer.forget();
        }
    }

    @Override
    public OperationTimer timer() {
        return timer;
    }

    /** The rate that the writer achieved. */
    @Override
    public Observed observed() {
        return writer == null ? null : Observed.beside(writer.rate());
    }

    @Override
    public void close() throws Exception {
        if (writer != null) {
            writer.close();
        }
        team.run(thread -> readers[thread].close());
    }
}
