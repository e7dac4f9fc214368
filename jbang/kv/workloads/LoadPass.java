package kv.workloads;

import java.util.ArrayList;
import java.util.List;
import kv.bench.Database;
import kv.bench.Observed;
import kv.bench.OperationTimes;
import kv.bench.Passes;
import kv.bench.Team;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.Store;

/**
 * Loads every entry into a new database and closes it, so that the data are where their tier says;
 * warms up with a part of them that grows.
 */
final class LoadPass implements Passes.Pass {

    // At most: the compiler has seen enough by then
    private static final long WARM_UP_BYTES = 256L << 20;
    // The first load that warms up is of one such part of the entries
    private static final int WARM_UP_PARTS = 64;
    // The next are of what this many times the time to warm up allows for
    private static final int WARM_UP_TIMES = 10;

    private final Load load;
    private final Database database;
    private final Data data;
    private final CaseSpec spec;
    private final Team team;
    private final double warmupSeconds;
    private final OperationTimer timer; // null: no put is timed by itself
    private final int largest; // part that warms up
    private int part;
    // Of each measured pass
    private final List<Long> commitNs = new ArrayList<>();
    private final List<Long> closeNs = new ArrayList<>();

    LoadPass(Load load, Passes passes) {
        this.load = load;
        this.database = passes.database;
        this.data = passes.data;
        this.spec = passes.spec;
        this.team = passes.team;
        this.warmupSeconds = passes.schedule.warmupSeconds();
        this.timer = load.timer(passes);
        this.largest = (int) Math.min(spec.entries(), WARM_UP_BYTES / spec.entryBytes());
        this.part = Math.max(1, Math.min(spec.entries() / WARM_UP_PARTS, largest));
    }

    @Override
    public void before() throws Exception {
        data.writtenAnew();
        if (!database.isEmpty()) {
            database.create();
        }
    }

    @Override
    public boolean prepares() {
        return true;
    }

    @Override
    public void warmUp() throws Exception {
        long start = System.nanoTime();
        writeFirst(part);
        double times = WARM_UP_TIMES * warmupSeconds * 1e9 / (System.nanoTime() - start);
        part = Math.max(part, (int) Math.min(times * part, largest));
    }

    @Override
    public void timed() throws Exception {
        writeFirst(spec.entries());
    }

    /** Opens it again, for what reads it. */
    @Override
    public void after() throws Exception {
        database.open();
    }

    @Override
    public void warmedUp() {
        commitNs.clear();
        closeNs.clear();
        if (timer != null) {
            timer.reset();
        }
    }

    @Override
    public Observed observed() {
        return Observed.loads(commitNs.isEmpty() ? null : commitNs, closeNs);
    }

    /** Writes the first entries, each thread a share of them that lies together, and closes. */
    private void writeFirst(int entries) throws Exception {
        database.written();
        if (spec.shared() && !load.inKeyOrder(spec)) {
            team.run(thread -> write(new Share(
                    data,
                    thread,
                    team.share(thread, entries),
                    team.share(thread + 1, entries),
                    team::stopped)));
        } else {
            commitNs.add(write(new Share(data, 0, 0, entries, () -> false)));
        }
        long start = System.nanoTime();
        database.close();
        closeNs.add(System.nanoTime() - start);
    }

    /** Writes a share of entries; ns from the last put to where all of them are committed. */
    private long write(Share share) throws Exception {
        long written;
        try (Store.Writer writer = load.writer(database.db())) {
            if (timer == null) {
                putAll(writer, share);
            } else {
                EntryFlyweight entry = data.entry();
                timer.run(share, position -> writer.put(entry.at(position)));
            }
            written = System.nanoTime();
        }
        return System.nanoTime() - written;
    }

    private void putAll(Store.Writer writer, Share share) throws Exception {
        EntryFlyweight entry = data.entry();
        boolean inOrder = load.inKeyOrder(spec);
        for (int turn = share.from(), end = share.to(); turn < end && !share.isStopped(); turn++) {
            writer.put(entry.at(inOrder ? data.positionOfRank(turn) : turn));
        }
    }

    @Override
    public OperationTimes operations() {
        return timer == null ? null : timer.recorded();
    }
}
