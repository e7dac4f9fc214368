package kv;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Measures one store on one data set. The timed loops are here and in the adapter, compiled, never in notebook cells.
 *
 * <p>Every timed pass is checked by count and checksum after the clock has stopped; besides, once per case and untimed,
 * every entry is compared byte for byte through each way of reading that is measured.
 */
final class Bench {

    private static final double QUIET_LIMIT_SECONDS = 60;
    private static final long WARM_UP_BYTES = 256L << 20;  // of a load: the compiler has seen enough by then

    private final Store store;
    private final Data data;
    private final Shape shape;
    private final Profile profile;
    private final Path directory;
    private final Consumer<String> progress;
    private Store.Db db;

    /**
     * @param directory scratch for the database; removed afterwards
     * @param progress  receives a line when a workload is done
     */
    Bench(Store store, Shape shape, Profile profile, Path directory, Consumer<String> progress) {
        this.store = store;
        this.shape = shape;
        this.profile = profile;
        this.directory = directory;
        this.progress = progress;
        this.data = new Data(shape, store.intKeyOrder());
    }

    /** Runs the workloads. A failing one becomes a result with its reason; when the write or the comparison fails, so do all. */
    Trial.Case run(List<Workload> workloads) throws IOException {
        List<Trial.Result> results = new ArrayList<>();
        Trial.Space space = new Trial.Space(null, null);
        Trial.Settle settle = null;
        String broken = null;
        String lacks = store.about().lacks(shape);
        if (lacks != null) {
            workloads.forEach(workload -> results.add(report(Trial.Result.without(workload, Trial.Status.NA, lacks, shape))));
            return result(settle, space, results);
        }
        try {
            Trial.Result write = write(workloads.contains(Workload.WRITE));
            if (workloads.contains(Workload.WRITE)) {
                results.add(report(write));
            }
            Probe.Cost loaded = Probe.cost();
            Double quiet = Probe.awaitQuiet(QUIET_LIMIT_SECONDS);
            long open = Probe.allocatedBytes(directory);
            long closing = System.nanoTime();
            db.close();
            double closeSeconds = (System.nanoTime() - closing) / 1e9;
            Probe.Cost debt = Probe.Cost.NONE.plus(loaded, Probe.cost());
            settle = new Trial.Settle(quiet, closeSeconds, debt.cpuUserNs(), debt.cpuSystemNs(), debt.osReadBytes(), debt.osWrittenBytes());
            space = new Trial.Space(open, Probe.allocatedBytes(directory));
            db = store.open(directory, shape);
        } catch (Exception | Error e) {
            broken = reason(e);
            results.removeIf(r -> r.workload() == Workload.WRITE);
        }
        for (Workload workload : workloads) {
            if (broken != null) {
                results.add(report(failed(workload, broken)));
            } else if (workload != Workload.WRITE) {
                results.add(report(read(workload)));
            }
        }
        if (broken == null) {
            try {
                verify(workloads);  // last, as it shows the compiler more of each reader than a program that reads in one way would
            } catch (Exception | Error e) {
                results.clear();
                workloads.forEach(workload -> results.add(report(failed(workload, reason(e)))));
            }
        }
        close();
        delete(directory);
        return result(settle, space, results);
    }

    private Trial.Case result(Trial.Settle settle, Trial.Space space, List<Trial.Result> results) {
        return new Trial.Case(shape.keys(), shape.order(), shape.settings(), shape.entries(), shape.keys().bytes, shape.valueBytes(),
                shape.flatBytes(), settle, space, List.copyOf(results));
    }

    /** Loads the store, into a new directory for each pass, and leaves the last one open. Untimed: one pass. */
    private Trial.Result write(boolean timed) throws Exception {
        return measure(Workload.WRITE, timed ? profile.iterations : 0, new Pass() {
            @Override
            public void before() throws Exception {
                close();
                delete(directory);
                Files.createDirectories(directory);
                db = store.open(directory, shape);
            }

            @Override
            public boolean prepares() {
                return true;
            }

            @Override
            public void warmUp() throws Exception {
                writeFirst((int) Math.min(shape.entries(), Math.max(1, WARM_UP_BYTES / shape.entryBytes())));
            }

            @Override
            public void timed() throws Exception {
                writeFirst(shape.entries());
            }
        });
    }

    private void writeFirst(int entries) throws Exception {
        Entry entry = data.entry();
        try (Store.Writer writer = db.writer()) {
            for (int position = 0; position < entries; position++) {
                writer.put(entry.at(position));
            }
        }
    }

    private Trial.Result read(Workload workload) {
        String impossible = store.about().cannot().get(workload);
        if (impossible != null) {
            return Trial.Result.without(workload, Trial.Status.NA, impossible, shape);
        }
        Sink sink = new Sink(data, workload.mode);
        data.expected(workload.mode);  // computed before anything is timed
        try (Store.Reader reader = db.reader()) {
            return measure(workload, profile.iterations, new Pass() {
                @Override
                public void before() {
                    sink.reset();
                }

                @Override
                public void timed() throws Exception {
                    readAll(reader, workload, sink);
                }

                @Override
                public void after() {
                    sink.check();
                }
            });
        } catch (Exception | Error e) {
            return failed(workload, reason(e));
        }
    }

    private void readAll(Store.Reader reader, Workload workload, Sink sink) throws Exception {
        switch (workload) {
            case READ_KEY -> getAll(reader, sink);
            case READ_REV -> reader.descend(sink);
            default -> reader.ascend(sink);
        }
    }

    private void getAll(Store.Reader reader, Sink sink) throws Exception {
        Entry entry = data.entry();
        for (int position = 0, entries = shape.entries(); position < entries; position++) {
            reader.get(entry.at(position), sink);
        }
    }

    /** Compares every entry, byte for byte, through each way of reading that the workloads use. */
    private void verify(List<Workload> workloads) throws Exception {
        try (Store.Reader reader = db.reader()) {
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

    /** What a pass does around and inside the clock. */
    private interface Pass {
        void before() throws Exception;

        /**
         * Whether {@link #before} works so much that costs have to be read between it and the timed part. Where it does
         * not they are read before the first and after the last pass only: reading them slows the next pass by 2 ms.
         */
        default boolean prepares() {
            return false;
        }

        void timed() throws Exception;

        /** What a pass does while the compiler settles; a part of the work where all of it would take long. */
        default void warmUp() throws Exception {
            timed();
        }

        default void after() throws Exception {
        }
    }

    private Trial.Result measure(Workload workload, int iterations, Pass pass) throws Exception {
        List<Long> warmupNs = new ArrayList<>();
        List<Long> iterationNs = new ArrayList<>();
        long warmupEnd = System.nanoTime() + (long) (iterations == 0 ? 0 : profile.warmupSeconds * 1e9);
        do {
            warmupNs.add(time(pass, iterations == 0));
        } while (System.nanoTime() < warmupEnd);
        Probe.resetPeakRss();
        Probe.Cost cost = Probe.Cost.NONE;
        Probe.Cost mark = Probe.cost();
        long measureEnd = System.nanoTime() + (long) (profile.measureSeconds * 1e9);
        while (iterationNs.size() < iterations && (iterationNs.isEmpty() || System.nanoTime() < measureEnd)) {
            if (Thread.interrupted()) {
                throw new Interrupted();
            }
            pass.before();
            if (pass.prepares()) {
                mark = Probe.cost();
            }
            long start = System.nanoTime();
            pass.timed();
            long end = System.nanoTime();
            if (pass.prepares()) {
                cost = cost.plus(mark, Probe.cost());
            }
            iterationNs.add(end - start);
            pass.after();
        }
        if (!pass.prepares()) {
            cost = cost.plus(mark, Probe.cost());
        }
        return new Trial.Result(workload, Trial.Status.OK, null, warmupNs, iterationNs, shape.entries(),
                shape.flatBytes(), cost.cpuUserNs(), cost.cpuSystemNs(), cost.osReadBytes(), cost.osWrittenBytes(),
                Probe.peakRssBytes(), cost.gcMs(), cost.gcCount(), Probe.openFiles(), Probe.threads());
    }

    private static long time(Pass pass, boolean whole) throws Exception {
        pass.before();
        long start = System.nanoTime();
        if (whole) {
            pass.timed();
        } else {
            pass.warmUp();
        }
        long end = System.nanoTime();
        pass.after();
        return end - start;
    }

    private Trial.Result failed(Workload workload, String reason) {
        return Trial.Result.without(workload, Trial.Status.FAILED, reason, shape);
    }

    private static String reason(Throwable e) {
        if (e instanceof Interrupted || e instanceof InterruptedException) {
            throw new Interrupted();
        }
        String message = e.getMessage();
        String kind = e instanceof Sink.WrongData ? "wrong data" : e.getClass().getSimpleName();
        return message == null ? kind : kind + ": " + message.lines().findFirst().orElse("");
    }

    /** The user stopped the measurement: not a result. */
    static final class Interrupted extends RuntimeException {
        Interrupted() {
            super("stopped; what was measured before is kept");
        }
    }

    private Trial.Result report(Trial.Result result) {
        String name = "%-14s %s: %-9s ".formatted(store.about().name(), shape, result.workload());
        progress.accept(name + switch (result.status()) {
            case OK -> "%,9.1f ns/entry".formatted(Format.median(result.iterationNs()) / (double) shape.entries());
            case NA -> "n/a: " + result.reason();
            case FAILED -> "failed: " + result.reason();
        });
        return result;
    }

    private void close() throws IOException {
        if (db != null) {
            try {
                db.close();
            } catch (Exception e) {
                throw new IOException("closing " + store.about().name() + " failed: " + e.getMessage(), e);
            } finally {
                db = null;
            }
        }
    }

    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
