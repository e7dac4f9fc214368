package kv.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
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

    private final Database database;
    private final Data data;
    private final CaseSpec spec;
    private final Team team;
    private final Schedule schedule;
    private final boolean bulk;
    private final OperationTimer timer;
    private final int largest; // part that warms up
    private int part;
    // Of each measured pass
    private final List<Long> commitNs = new ArrayList<>();
    private final List<Long> closeNs = new ArrayList<>();

    /**
     * @param bulk by the store's loader for sorted entries
     * @param timer where each put is timed; null: none is
     */
    LoadPass(
            Database database,
            Data data,
            Team team,
            Schedule schedule,
            boolean bulk,
            OperationTimer timer) {
        this.database = database;
        this.data = data;
        this.spec = data.spec;
        this.team = team;
        this.schedule = schedule;
        this.bulk = bulk;
        this.timer = timer;
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
        double times = WARM_UP_TIMES * schedule.warmupSeconds() * 1e9 / (System.nanoTime() - start);
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
    }

    @Override
    public Observed observed() {
        return Observed.loads(commitNs.isEmpty() ? null : commitNs, closeNs);
    }

    /** Writes the first entries, each thread a share of them that lies together, and closes. */
    private void writeFirst(int entries) throws Exception {
        database.written();
        if (spec.shared() && !spec.loadsInKeyOrder() && !bulk) {
            team.run(thread -> writeRange(
                    team.share(thread, entries), team.share(thread + 1, entries), team::stopped));
        } else {
            commitNs.add(timer == null ? writeRange(0, entries, () -> false) : writeTimed(entries));
        }
        long start = System.nanoTime();
        database.close();
        closeNs.add(System.nanoTime() - start);
    }

    /** Writes a range of entries; ns from the last put to where all of them are committed. */
    private long writeRange(int from, int to, BooleanSupplier stopped) throws Exception {
        EntryFlyweight entry = data.entry();
        boolean inOrder = bulk || spec.loadsInKeyOrder();
        long written;
        try (Store.Writer writer = bulk ? database.db().loader() : database.db().writer()) {
            for (int position = from; position < to && !stopped.getAsBoolean(); position++) {
                writer.put(entry.at(inOrder ? data.positionOfRank(position) : position));
            }
            written = System.nanoTime();
        }
        return System.nanoTime() - written;
    }

    private long writeTimed(int entries) throws Exception {
        EntryFlyweight entry = data.entry();
        long written;
        try (Store.Writer writer = database.db().writer()) {
            timer.run(entries, position -> writer.put(entry.at(position)));
            written = System.nanoTime();
        }
        return System.nanoTime() - written;
    }

    @Override
    public OperationTimer timer() {
        return timer;
    }
}
