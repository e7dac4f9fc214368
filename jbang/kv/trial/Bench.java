package kv.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kv.bench.Database;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Program;
import kv.bench.Upkeep;
import kv.bench.Workload;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Store;
import kv.store.UserError;
import kv.workloads.ComparingSink;
import kv.workloads.VerifyingSink;
import kv.workloads.Workloads;
import kv.workloads.Write;

/**
 * A store with the entries of a case: loaded, closed, opened again, and then measured, workload
 * after workload. A trial does it, and whoever wants to time something by hand:
 *
 * <pre>{@code
 * try (var bench = Bench.open(store, spec)) {
 *     System.out.println(bench.time("readKey"));
 * }
 * }</pre>
 *
 * <p>The passes that are timed are in {@code kv.bench}; this is what is done before, between and
 * after them.
 */
public final class Bench implements AutoCloseable {

    final Path directory;
    private final Store store;
    private final CaseSpec spec;
    private final Profile profile;
    private final Data data;
    private final Database database;
    private final Passes passes;
    private final DatabaseUpkeep upkeep;
    private final List<Workload> timed = new ArrayList<>();
    private long closedBytes;
    private boolean aged;
    private Long agedBytes;

    /** @param directory scratch for the database; removed afterwards */
    Bench(Store store, CaseSpec spec, Profile profile, Path directory) {
        this.store = store;
        this.spec = spec;
        this.profile = profile;
        this.directory = directory;
        this.data = new Data(spec, store.intKeyOrder());
        this.database = new Database(store, spec, directory);
        this.upkeep = new DatabaseUpkeep(database, profile.quietSeconds);
        this.passes =
                new Passes(database, data, profile.schedule(), new ProcessCosts(directory), upkeep);
    }

    /**
     * Loads the entries of a case into a store, in a scratch directory, to be timed as the standard
     * profile does.
     */
    public static Bench open(Store store, CaseSpec spec) throws Exception {
        return open(store, spec, Profile.STANDARD);
    }

    /**
     * The same with the warm-up and the passes of another profile, as of
     * {@code notebook.profile()}.
     *
     * @throws UserError when the store cannot run such a case, saying why
     */
    public static Bench open(Store store, CaseSpec spec, Profile profile) throws Exception {
        String reason = store.describe().unsupportedReason(spec);
        if (reason != null) {
            throw new UserError(store.describe().name() + " cannot run this case: " + reason);
        }
        Path directory =
                Files.createTempDirectory(Work.directory(), store.describe().id() + "-");
        Bench bench = new Bench(store, spec, profile, directory);
        try {
            bench.load();
            bench.settle();
            return bench;
        } catch (Exception | Error e) {
            bench.remove();
            throw e;
        }
    }

    /**
     * Warms a workload up and times its passes, as a trial does; what each pass read is checked
     * when its clock has stopped.
     *
     * @param workload its name, as "readKey"
     * @throws UserError when there is no such workload, or not here, saying why
     */
    public Measurement time(String workload) throws Exception {
        Workload chosen = Workloads.named(workload);
        String reason = impossible(chosen);
        if (reason != null) {
            throw new UserError(
                    store.describe().name() + " cannot run " + workload + ": " + reason);
        }
        Measurement measured = run(chosen);
        timed.add(chosen);
        if (chosen.loads()) {
            settle();
        }
        return measured;
    }

    /** Loads the entries into a new database, untimed, and leaves it open. */
    void load() throws Exception {
        database.create();
        if (database.db() instanceof Program program) {
            program.load(data);
        } else {
            new Write().once(passes);
        }
    }

    /**
     * Measures a workload, of which and of the store the classes are defined anew. One that loads
     * leaves a new database open; the others find the one that is.
     */
    Measurement run(Workload workload) throws Exception {
        if (workload.loads()) {
            database.create();
        } else if (workload.first() == Workload.First.AGEING && !aged) {
            throw new UserError("the database has not been overwritten before");
        }
        if (database.db() instanceof Program program) {
            return program.run(workload.name(), data, profile.schedule());
        }
        Anew anew = Anew.of(workload, store);
        database.use(anew.store());
        aged &= workload.leaves() != Workload.Leaves.A_NEW_ONE;
        Measurement measured = anew.workload().measure(passes);
        if (workload.leaves() == Workload.Leaves.AN_AGED_ONE) {
            settleAged();
        }
        return measured;
    }

    private void settleAged() throws Exception {
        agedBytes = upkeep.settled().closedBytes();
        aged = true;
    }

    /** Waits until background work has died down, closes the database and opens it again. */
    Upkeep.Settled settle() throws Exception {
        Upkeep.Settled settled = upkeep.settled();
        closedBytes = settled.closedBytes();
        return settled;
    }

    /** Bytes of disk blocks that the database took when it was closed after its last load. */
    public long closedBytes() {
        return closedBytes;
    }

    /** Whether all entries of the database that is open were overwritten since they were loaded. */
    boolean isAged() {
        return aged;
    }

    /** Bytes of disk after the overwriting, closed; null before. */
    Long agedBytes() {
        return agedBytes;
    }

    /** Why a workload does not run here; null where it does. */
    String impossible(Workload workload) {
        if (!Workloads.of(store).contains(workload)) {
            return "has no workload " + workload;
        }
        String reason = workload.impossible(spec);
        return reason == null ? workload.unsupportedReason(store.describe()) : reason;
    }

    /**
     * Compares every entry, byte for byte, through each way of reading that some workloads use; a
     * load is always read by key. Then asks for what else the store has promised. Never timed, and
     * done last.
     */
    void verify(List<Workload> used) throws Exception {
        if (database.db() instanceof Program program) {
            program.verify(data);
            return;
        }
        database.use(store);
        try (Store.Reader reader = database.db().reader()) {
            compareGot(reader);
            if (reads(used, Capability.SCAN)) {
                VerifyingSink sink = ComparingSink.ascending(data);
                reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, sink);
                sink.check();
            }
            if (reads(used, Capability.SCAN_BACKWARDS)) {
                VerifyingSink sink = ComparingSink.descending(data);
                reader.scan(null, Store.Reader.ALL, Direction.BACKWARDS, sink);
                sink.check();
            }
        }
        if (used.stream().anyMatch(Workload::reopens)) {
            database.close();
            database.open();
            try (Store.Reader reader = database.db().reader()) {
                compareGot(reader); // what is got first after opening, too
            }
        }
        List<Workload> possible =
                used.stream().filter(workload -> impossible(workload) == null).toList();
        new Promises(store, database, data, possible).check();
    }

    /** Whether some workloads read in a way that the store has. */
    private boolean reads(List<Workload> used, Capability way) {
        return store.describe().unsupportedReason(way) == null
                && used.stream().anyMatch(workload -> workload.needs().contains(way));
    }

    private void compareGot(Store.Reader reader) throws Exception {
        VerifyingSink sink = ComparingSink.got(data);
        EntryFlyweight entry = data.entry();
        for (int turn = 0; turn < spec.entries(); turn++) {
            reader.get(entry.at(data.positionOfGet(turn)), sink);
        }
        reader.flush(sink);
        sink.check();
    }

    /** Closes the database and deletes it. */
    void remove() throws IOException {
        passes.close();
        database.remove();
    }

    /**
     * Compares every entry as a trial does in the end, and deletes the database.
     *
     * @throws Exception when an entry is wrong
     */
    @Override
    public void close() throws Exception {
        try {
            verify(timed);
        } finally {
            remove();
        }
    }
}
