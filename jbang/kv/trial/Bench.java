package kv.trial;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import kv.bench.Database;
import kv.bench.Later;
import kv.bench.Passes;
import kv.bench.Program;
import kv.bench.Readers;
import kv.bench.Singles;
import kv.bench.Sink;
import kv.bench.Team;
import kv.cli.Format;
import kv.data.Data;
import kv.data.Entry;
import kv.store.Shape;
import kv.store.Store;
import kv.store.Unavailable;
import kv.store.UserError;
import kv.store.Workload;

/**
 * Measures one store on one data set. The timed loops are here and in the adapter, compiled, never in notebook cells.
 *
 * <p>Every timed pass is checked by count and checksum after the clock has stopped; besides, once per case and untimed,
 * every entry is compared byte for byte through each way of reading that is measured.
 */
public final class Bench {

    public static final double QUIET_LIMIT_SECONDS = 60;
    private static final long WARM_UP_BYTES = 256L << 20;  // of a load, at most: the compiler has seen enough by then
    private static final int WARM_UP_PARTS = 64;  // the first load that warms up is of one such part of the entries
    private static final int WARM_UP_TIMES = 10;  // the next are of what this many times the time to warm up allows for

    private final Store store;
    private final Data data;
    private final Passes passes;
    private final Shape shape;
    private final Profile profile;
    private final Database database;
    private final Consumer<String> progress;
    private final Later later;
    private Team team;
    private boolean empty;  // nothing has been written since the database was made

    /**
     * @param directory scratch for the database; removed afterwards
     * @param progress  receives a line when a workload is done
     */
    Bench(Store store, Shape shape, Profile profile, Path directory, Consumer<String> progress) {
        this.store = store;
        this.shape = shape;
        this.profile = profile;
        this.progress = progress;
        this.data = new Data(shape, store.intKeyOrder());
        this.passes = new Passes(shape, profile, directory);
        this.database = new Database(store, shape, directory);
        this.later = new Later(database, data, passes, profile);
    }

    /** Runs the workloads. A failing one becomes a result with its reason; when the write or the comparison fails, so do all. */
    Trial.Case run(List<Workload> workloads) throws IOException {
        List<Trial.Result> results = new ArrayList<>();
        Trial.Space space = new Trial.Space(null, null, null);
        Trial.Settle settle = null;
        String broken = null;
        String lacks = store.about().lacks(shape);
        if (lacks != null) {
            workloads.forEach(workload -> results.add(report(Trial.Result.without(workload, Trial.Status.NA, lacks, shape))));
            return result(settle, space, results);
        }
        team = new Team(shape.threads());
        String unavailable = null;
        try {
            List<Workload> loads = workloads.stream().filter(workload -> workload.loads() && impossible(workload) == null).toList();
            if (loads.isEmpty()) {
                write(Workload.WRITE, 0);
            }
            for (Workload load : loads) {
                results.add(report(write(load, profile.iterations)));
            }
            Probe.Cost loaded = Probe.cost();
            Double quiet = Probe.awaitQuiet(profile.quietSeconds, QUIET_LIMIT_SECONDS);
            long open = Probe.allocatedBytes(database.directory);
            long closing = System.nanoTime();
            database.close();
            double closeSeconds = (System.nanoTime() - closing) / 1e9;
            Probe.Cost debt = Probe.Cost.NONE.plus(loaded, Probe.cost());
            settle = new Trial.Settle(quiet, closeSeconds, debt.cpuUserNs(), debt.cpuSystemNs(), debt.osReadBytes(), debt.osWrittenBytes());
            space = new Trial.Space(open, Probe.allocatedBytes(database.directory), null);
            database.open();
        } catch (Unavailable e) {
            unavailable = e.getMessage();
        } catch (Exception | Error e) {
            broken = reason(e);
            results.clear();
        }
        for (Workload workload : workloads) {
            if (unavailable != null) {
                results.add(report(Trial.Result.without(workload, Trial.Status.NA, unavailable, shape)));
            } else if (broken != null) {
                results.add(report(failed(workload, broken)));
            } else if (impossible(workload) != null) {
                results.add(report(Trial.Result.without(workload, Trial.Status.NA, impossible(workload), shape)));
            } else if (!workload.loads()) {
                results.add(report(read(workload)));
            }
        }
        if (broken == null && unavailable == null) {
            try {
                verify(workloads);  // last, as it shows the compiler more of each reader than a program that reads in one way would
            } catch (Exception | Error e) {
                results.clear();
                workloads.forEach(workload -> results.add(report(failed(workload, reason(e)))));
            }
        }
        team.close();
        database.remove();
        return result(settle, space, results);
    }

    private Trial.Case result(Trial.Settle settle, Trial.Space space, List<Trial.Result> results) {
        return new Trial.Case(shape.keys(), shape.order(), shape.content(), shape.settings(), shape.entries(), shape.keys().bytes, shape.valueBytes(),
                shape.flatBytes(), settle, new Trial.Space(space.openBytes(), space.closedBytes(), later.agedBytes()), List.copyOf(results));
    }

    /** Loads the store, into a new directory for each pass, and leaves the last one open. Without iterations: one pass, untimed. */
    private Trial.Result write(Workload load, int iterations) throws Exception {
        create();
        if (database.db() instanceof Program program) {
            return program.run(load, data, profile, iterations);
        }
        Singles singles = passes.singles(load);
        return passes.measure(load, iterations, new Passes.Pass() {
            private final int largest = (int) Math.min(shape.entries(), WARM_UP_BYTES / shape.entryBytes());
            private int part = Math.max(1, Math.min(shape.entries() / WARM_UP_PARTS, largest));

            @Override
            public void before() throws Exception {
                if (!empty) {
                    create();
                }
            }

            @Override
            public boolean prepares() {
                return true;
            }

            @Override
            public void warmUp() throws Exception {
                long start = System.nanoTime();
                writeFirst(part, singles);
                double times = WARM_UP_TIMES * profile.warmupSeconds * 1e9 / (System.nanoTime() - start);
                part = Math.max(part, (int) Math.min(times * part, largest));
            }

            @Override
            public void timed() throws Exception {
                writeFirst(shape.entries(), singles);
            }

            @Override
            public Singles singles() {
                return singles;
            }
        });
    }

    private void create() throws Exception {
        database.create();
        empty = true;
    }

    /** Writes the first entries, each thread a share of them that lies together. @param singles where each put is timed; null: none is */
    private void writeFirst(int entries, Singles singles) throws Exception {
        empty = false;
        if (singles != null) {
            Entry entry = data.entry();
            try (Store.Writer writer = database.db().writer()) {
                singles.run(entries, position -> writer.put(entry.at(position)));
            }
        } else if (!shape.shared() || shape.loadsInOrder()) {
            writeRange(0, entries, () -> false);
        } else {
            team.run(thread -> writeRange(team.share(thread, entries), team.share(thread + 1, entries), team::stopped));
        }
    }

    private void writeRange(int from, int to, BooleanSupplier stopped) throws Exception {
        Entry entry = data.entry();
        boolean inOrder = shape.loadsInOrder();
        try (Store.Writer writer = database.db().writer()) {
            for (int position = from; position < to && !stopped.getAsBoolean(); position++) {
                writer.put(entry.at(inOrder ? data.positionOfRank(position) : position));
            }
        }
    }

    /** Why a workload makes no sense here; null where it does. */
    private String impossible(Workload workload) {
        if (!store.workloads().contains(workload)) {
            return "has no workload " + workload;
        }
        if (workload.ages() && shape.sequential()) {
            return "a load in sequential order is written once, in that order";
        }
        if (!Workload.OF_STORES.contains(workload) && (shape.shared() || shape.loadsInOrder())) {
            return "is measured with one thread that writes and reads in one order";
        }
        return store.about().cannot().entrySet().stream().filter(each -> workload.isAs(each.getKey())).map(Map.Entry::getValue).findFirst().orElse(null);
    }

    private Trial.Result read(Workload workload) {
        if (workload.ages() && workload != Workload.OVERWRITE && later.agedBytes() == null) {
            return failed(workload, "the database has not been overwritten before");
        }
        try {
            if (database.db() instanceof Program program) {
                return program.run(workload, data, profile, profile.iterations);
            }
            if (workload == Workload.OVERWRITE) {
                return later.overwrite();
            }
            return shape.shared() ? readTogether(workload) : readAlone(workload);
        } catch (Exception | Error e) {
            return failed(workload, reason(e));
        }
    }

    private Trial.Result readTogether(Workload workload) throws Exception {
        try (Readers readers = new Readers(team, database.db(), data, workload)) {
            return passes.measure(workload, profile.iterations, readers);
        }
    }

    private Trial.Result readAlone(Workload workload) throws Exception {
        Sink sink = new Sink(data, workload.mode);
        data.expected(workload.mode);  // computed before anything is timed
        if (workload.reopens()) {
            return later.reopen(workload, sink);
        }
        Singles singles = passes.singles(workload);
        try (Store.Reader reader = database.db().reader()) {
            return passes.measure(workload, profile.iterations, new Passes.Pass() {
                @Override
                public void before() {
                    sink.reset();
                }

                @Override
                public void timed() throws Exception {
                    if (singles == null) {
                        readAll(reader, workload, sink);
                    } else {
                        Entry entry = data.entry();
                        singles.run(shape.entries(), position -> reader.get(entry.at(position), sink));
                        reader.flush(sink);
                    }
                }

                @Override
                public void after() {
                    sink.check();
                }

                @Override
                public Singles singles() {
                    return singles;
                }
            });
        }
    }

    private void readAll(Store.Reader reader, Workload workload, Sink sink) throws Exception {
        switch (workload) {
            case READ_KEY, READ_KEY_XXH64, READ_KEY_AGED -> getAll(data, reader, sink);
            case READ_REV -> reader.descend(sink);
            default -> reader.ascend(sink);
        }
    }

    /** Gets every entry by its key, in the order of writing. */
    public static void getAll(Data data, Store.Reader reader, Sink sink) throws Exception {
        Entry entry = data.entry();
        for (int position = 0, entries = data.shape.entries(); position < entries; position++) {
            reader.get(entry.at(position), sink);
        }
        reader.flush(sink);
    }

    /** Compares every entry, byte for byte, through each way of reading that the workloads use. */
    private void verify(List<Workload> workloads) throws Exception {
        if (database.db() instanceof Program program) {
            program.verify(data);
            return;
        }
        try (Store.Reader reader = database.db().reader()) {
            for (Workload way : List.of(Workload.READ_KEY, Workload.READ_SEQ, Workload.READ_REV)) {
                boolean used = way == Workload.READ_KEY  // a load is always read back by key
                        || workloads.stream().anyMatch(w -> w.scan && (w == Workload.READ_REV) == (way == Workload.READ_REV));
                if (!used || store.about().cannot().containsKey(way)) {
                    continue;
                }
                Sink sink = new Sink(data, switch (way) {
                    case READ_KEY -> Sink.Mode.VERIFY_WRITTEN;
                    case READ_REV -> Sink.Mode.VERIFY_DESCENDING;
                    default -> Sink.Mode.VERIFY_ASCENDING;
                });
                readAll(reader, way, sink);
                sink.check();
            }
        }
    }

    private Trial.Result failed(Workload workload, String reason) {
        return Trial.Result.without(workload, Trial.Status.FAILED, reason, shape);
    }

    /** What a result says of a failure; files are named as they are in the database, wherever it was. */
    private String reason(Throwable e) {
        if (e instanceof Interrupted || e instanceof InterruptedException) {
            throw new Interrupted();
        }
        String message = e.getMessage();
        if (e instanceof UserError) {
            return message;  // a sentence as it is
        }
        String kind = e instanceof Sink.WrongData ? "wrong data" : e.getClass().getSimpleName();
        return message == null ? kind : kind + ": " + message.lines().findFirst().orElse("").replace(database.directory + "/", "");
    }

    /** The user stopped the measurement: not a result. */
    public static final class Interrupted extends RuntimeException {
        public Interrupted() {
            super("stopped; what was measured before is kept");
        }
    }

    private Trial.Result report(Trial.Result result) {
        String name = "%-14s %s: %-9s ".formatted(store.about().name(), shape, result.workload());
        progress.accept(name + switch (result.status()) {
            case OK -> "%,9.1f ns/entry".formatted(Format.median(result.iterationNs()) / (double) result.entries());
            case NA -> "n/a: " + result.reason();
            case FAILED -> "failed: " + result.reason();
        });
        return result;
    }
}
