package kv.bench;

import java.util.List;
import java.util.concurrent.Callable;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.Workload;

/**
 * Every workload on one store and one data set: which passes it has, warmed up, timed and checked.
 * Each pass is a class of its own: {@link LoadPass}, {@link ReadPass}, {@link ThreadsReadPass},
 * {@link OverwritePass}, {@link ReopenPass}.
 */
public final class Workloads implements AutoCloseable {

    private static final int OVERWRITES = 3; // after which a database counts as aged

    private final Database database;
    private final Data data;
    private final CaseSpec spec;
    private final Schedule schedule;
    private final Passes passes;
    private final Sinks sinks;
    private final Team team;

    /** @param costs reads what passes cost, around the clock */
    public Workloads(Database database, Data data, Schedule schedule, CostMeter costs) {
        this.database = database;
        this.data = data;
        this.spec = data.spec;
        this.schedule = schedule;
        this.passes = new Passes(spec, schedule, costs);
        this.sinks = new Sinks(data);
        this.team = new Team(spec.threads());
    }

    /** Loads every entry into a new database, once and untimed, and leaves it open. */
    public void load() throws Exception {
        database.create();
        if (database.db() instanceof Program program) {
            program.load(data);
        } else {
            Passes.once(new LoadPass(database, data, team, schedule, false, null));
        }
    }

    /**
     * Measures a workload that loads, into a new database for each pass; leaves the last one open.
     */
    public Measurement load(Workload workload) throws Exception {
        database.create();
        if (database.db() instanceof Program program) {
            return program.run(workload, data, schedule);
        }
        boolean bulk = workload == Workload.BULK_LOAD;
        return passes.measure(
                workload,
                new LoadPass(database, data, team, schedule, bulk, passes.timer(workload)));
    }

    /** Measures a workload that reads the database that is open. */
    public Measurement read(Workload workload) throws Exception {
        if (database.db() instanceof Program program) {
            return program.run(workload, data, schedule);
        }
        if (spec.shared()) {
            try (ThreadsReadPass pass =
                    new ThreadsReadPass(team, database.db(), data, workload, sinks)) {
                return passes.measure(workload, pass);
            }
        }
        VerifyingSink sink = prepared(workload);
        OperationTimer timer = passes.timer(workload);
        try (Store.Reader reader = database.db().reader()) {
            return passes.measure(workload, new ReadPass(data, reader, workload, sink, timer));
        }
    }

    /**
     * Measures a workload of which each pass opens the database.
     *
     * @param whileClosed done before each pass, when it is closed
     */
    public Measurement reopen(Workload workload, Callable<?> whileClosed) throws Exception {
        return passes.measure(
                workload, new ReopenPass(database, data, prepared(workload), whileClosed));
    }

    /** Measures writing every entry again, and does so until the database counts as aged. */
    public Measurement overwrite() throws Exception {
        OverwritePass pass = new OverwritePass(database, data);
        Measurement measured = passes.measure(Workload.OVERWRITE, pass);
        for (int times = measured.warmupNs().size() + measured.passNs().size();
                times < OVERWRITES;
                times++) {
            Passes.once(pass);
        }
        return measured;
    }

    private VerifyingSink prepared(Workload workload) {
        VerifyingSink sink = sinks.digesting(workload.digest);
        sinks.prepare(workload.digest);
        return sink;
    }

    /**
     * Compares every entry, byte for byte, through some ways of reading. Never timed, and done
     * last: it shows the compiler more of each reader than a program that reads in one way would.
     *
     * @param ways of READ_KEY, READ_SEQ and READ_REV
     */
    public void verify(List<Workload> ways) throws Exception {
        if (database.db() instanceof Program program) {
            program.verify(data);
            return;
        }
        try (Store.Reader reader = database.db().reader()) {
            for (Workload way : ways) {
                VerifyingSink sink = sinks.comparing(way);
                ReadPass.readAll(data, reader, way, sink);
                sink.check();
            }
        }
    }

    @Override
    public void close() {
        team.close();
    }
}
