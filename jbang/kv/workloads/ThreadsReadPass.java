package kv.workloads;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import kv.bench.Observed;
import kv.bench.OperationTimes;
import kv.bench.Passes;
import kv.bench.Team;
import kv.data.Data;
import kv.store.Setting;
import kv.store.Store;

/**
 * One pass of several threads that read one database, each with a reader and a sink of its own: its
 * share of the entries, or all. Where the case says so one more thread writes meanwhile, and the
 * time of each single get is taken.
 */
final class ThreadsReadPass implements Passes.Pass, AutoCloseable {

    private final Read workload;
    private final Team team;
    private final Data data;
    private final VerifyingSink[] sinks;
    private final long due;
    private final Store.Reader[] readers;
    // Of each get; null where nobody writes, and for a scan: each costs two looks at the clock
    private final OperationTimer timer;
    private final SteadyWriter writer; // null likewise

    ThreadsReadPass(Read workload, Passes passes) throws Exception {
        this.workload = workload;
        this.team = passes.team;
        this.data = passes.data;
        this.readers = new Store.Reader[team.size];
        this.sinks = Stream.generate(() -> workload.sink(data))
                .limit(team.size)
                .toArray(VerifyingSink[]::new);
        this.due = sinks[0].due();
        boolean written = data.spec.settings().containsKey(Setting.WRITES);
        timer = written && !workload.readsAll() ? OperationTimer.closed(team.size) : null;
        Store.Db db = passes.database.db();
        team.run(thread -> readers[thread] = db.reader());
        writer = written ? new SteadyWriter(db, data, data.spec.count(Setting.WRITES, 1)) : null;
    }

    /** All entries once, or once for each thread that reads all. */
    @Override
    public long entries() {
        return (long) data.spec.entries() * (workload.readsAll() ? team.size : 1);
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
        int entries = data.spec.entries();
        team.run(thread -> {
            int from = team.share(thread, entries);
            int to = team.share(thread + 1, entries);
            Share share = new Share(data, thread, from, to, team::stopped);
            workload.read(readers[thread], sinks[thread], share, timer);
        });
    }

    /**
     * Proves that each thread, or all shares together, consumed exactly the entries written, and
     * that the writer did not fail.
     */
    @Override
    public void after() throws Exception {
        if (writer != null) {
            writer.check();
        }
        List<VerifyingSink> all = List.of(sinks);
        if (workload.readsAll()) {
            all.forEach(sink -> sink.check(due, List.of()));
        } else {
            all.get(0).check(due, all.subList(1, all.size()));
        }
    }

    @Override
    public void warmedUp() {
        if (writer != null) {
            writer.forget();
        }
        if (timer != null) {
            timer.reset();
        }
    }

    @Override
    public OperationTimes operations() {
        return timer == null ? null : timer.recorded();
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
