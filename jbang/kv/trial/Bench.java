package kv.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kv.bench.Database;
import kv.bench.Measurement;
import kv.bench.Program;
import kv.bench.Workloads;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.Setting;
import kv.store.Store;
import kv.store.UserError;
import kv.store.Workload;

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

    private static final double QUIET_LIMIT_SECONDS = 60;
    private static final int UNMAP_MILLIS = 50;

    final Path directory;
    private final Store store;
    private final CaseSpec spec;
    private final Profile profile;
    private final Data data;
    private final Database database;
    private final Workloads workloads;
    private final List<Workload> timed = new ArrayList<>();
    private long closedBytes;
    private Long agedBytes;

    /** @param directory scratch for the database; removed afterwards */
    Bench(Store store, CaseSpec spec, Profile profile, Path directory) {
        this.store = store;
        this.spec = spec;
        this.profile = profile;
        this.directory = directory;
        this.data = new Data(spec, store.intKeyOrder());
        this.database = new Database(store, spec, directory);
        this.workloads =
                new Workloads(database, data, profile.schedule(), new ProcessCosts(directory));
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
        Workload chosen = Workload.named(workload);
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
        workloads.load();
    }

    /**
     * Measures a workload. One that loads leaves a new database open; the others find the one that
     * is.
     */
    Measurement run(Workload workload) throws Exception {
        if (workload.loads()) {
            return workloads.load(workload);
        }
        if (workload == Workload.OVERWRITE) {
            return overwrite();
        }
        if (workload.ages() && agedBytes == null) {
            throw new UserError("the database has not been overwritten before");
        }
        return workload.reopens()
                ? workloads.reopen(workload, () -> forget(workload))
                : workloads.read(workload);
    }

    /** Before a cold read, and with the database closed: has the system forget its files. */
    private Void forget(Workload workload) throws Exception {
        if (workload == Workload.READ_COLD) {
            // A mapping that Java holds ends with its buffer, and what is mapped cannot be evicted
            System.gc();
            Thread.sleep(UNMAP_MILLIS);
            Probe.evict(directory);
        }
        return null;
    }

    private Measurement overwrite() throws Exception {
        Measurement measured = workloads.overwrite();
        Probe.awaitQuiet(profile.quietSeconds, QUIET_LIMIT_SECONDS);
        database.close();
        agedBytes = Probe.allocatedBytes(directory);
        database.open();
        return measured;
    }

    /** What a load left behind, and the database's size before and after it was closed. */
    record Settled(Trial.Settle settle, long openBytes, long closedBytes) {}

    /** Waits until background work has died down, closes the database and opens it again. */
    Settled settle() throws Exception {
        Probe.Counters loaded = Probe.counters();
        Double quiet = Probe.awaitQuiet(profile.quietSeconds, QUIET_LIMIT_SECONDS);
        long openBytes = Probe.allocatedBytes(directory);
        long closing = System.nanoTime();
        database.close();
        double closeSeconds = (System.nanoTime() - closing) / 1e9;
        Probe.Counters work = Probe.Counters.NONE.plus(loaded, Probe.counters());
        var settle = new Trial.Settle(
                quiet,
                closeSeconds,
                work.cpuUserNs(),
                work.cpuSystemNs(),
                work.osReadBytes(),
                work.osWrittenBytes());
        closedBytes = Probe.allocatedBytes(directory);
        database.open();
        return new Settled(settle, openBytes, closedBytes);
    }

    /** Bytes of disk blocks that the database took when it was closed after its last load. */
    public long closedBytes() {
        return closedBytes;
    }

    /** Bytes of disk after the overwriting, closed; null before. */
    Long agedBytes() {
        return agedBytes;
    }

    /** Why a workload does not run here; null where it does. */
    String impossible(Workload workload) {
        if (!store.workloads().contains(workload)) {
            return "has no workload " + workload;
        }
        if (workload.ages() && spec.sequential()) {
            return "a load in sequential order is written once, in that order";
        }
        boolean checksum = workload.digest != null && workload.digest != Workload.Digest.REACH;
        if (checksum && spec.settings().containsKey(Setting.WRITES)) {
            return "while values change there is no checksum to expect";
        }
        if (!Workload.OF_STORES.contains(workload) && (spec.shared() || spec.loadsInKeyOrder())) {
            return "is measured with one thread that writes and reads in one order";
        }
        return store.describe().unsupportedReason(workload);
    }

    /**
     * Compares every entry, byte for byte, through each way of reading that some workloads use; a
     * load is always read by key. Then asks for what else the store has promised.
     */
    void verify(List<Workload> used) throws Exception {
        workloads.verify(List.of(Workload.READ_KEY, Workload.READ_SEQ, Workload.READ_REV).stream()
                .filter(way -> way == Workload.READ_KEY
                        || used.stream()
                                .anyMatch(w -> w.scan
                                        && (w == Workload.READ_REV) == (way == Workload.READ_REV)))
                .filter(way -> !store.describe().unsupported().containsKey(way))
                .toList());
        if (database.db() instanceof Program) {
            return;
        }
        if (used.stream().anyMatch(Workload::reopens)) {
            database.close();
            database.open();
            workloads.verify(List.of(Workload.READ_KEY)); // what is got first after opening, too
        }
        List<Workload> possible =
                used.stream().filter(workload -> impossible(workload) == null).toList();
        new Promises(store, database, data, possible).check();
    }

    /** Closes the database and deletes it. */
    void remove() throws IOException {
        workloads.close();
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
