package kv.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import kv.store.Store;
import org.HdrHistogram.Histogram;

/** Times the commits of a ledger, over and over until the time is up. */
public final class Pricing {

    private static final int DIGITS = 3;
    private static final Path IO = Path.of("/proc/self/io");
    private static final String WRITTEN = "write_bytes: ";

    private final Store store;
    private final Ledger ledger;
    private final int threads;

    /**
     * What it needs.
     *
     * @param threads that commit at once, each its own share of the ledger's transactions, none of
     *     which may overwrite another's entries where there are several
     */
    public Pricing(Store store, Ledger ledger, int threads) {
        this.store = store;
        this.ledger = ledger;
        this.threads = threads;
    }

    /**
     * Times commits.
     *
     * @param directory exists and is empty
     * @param warmUpSeconds for which nothing is noted
     * @param seconds after which no commit begins any more
     */
    public Price of(Path directory, double warmUpSeconds, double seconds) throws Exception {
        ExecutorService team = Executors.newFixedThreadPool(threads);
        try (Store.Db db = store.open(directory, ledger.spec)) {
            List<Committer> committers = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                committers.add(new Committer(db, thread));
            }
            long noted = System.nanoTime() + (long) (warmUpSeconds * 1e9);
            long end = noted + (long) (seconds * 1e9);
            List<Future<Void>> ended = new ArrayList<>();
            committers.forEach(each -> ended.add(team.submit(() -> each.run(noted, end))));
            for (Future<Void> each : ended) {
                each.get();
            }
            Histogram times = new Histogram(DIGITS);
            committers.forEach(each -> times.add(each.times));
            long last = committers.stream().mapToLong(each -> each.last).max().orElseThrow();
            Long before = committers.get(0).writtenBefore;
            return new Price(
                    times.getTotalCount(),
                    (last - noted) / 1e9,
                    times.getValueAtPercentile(50),
                    times.getValueAtPercentile(99),
                    times.getValueAtPercentile(99.9),
                    times.getMaxValue(),
                    before == null ? null : Long.valueOf(writtenBytes() - before));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            team.shutdown();
        }
    }

    /** A thread that commits. */
    private final class Committer {

        private final Store.Db db;
        private final Ledger own = new Ledger(ledger);
        private final int first;
        private final Histogram times = new Histogram(DIGITS);
        private Long writtenBefore; // by the whole process, when the first was noted
        private long last; // when it has ended

        Committer(Store.Db db, int thread) {
            this.db = db;
            this.first = thread + 1;
        }

        /** Commits until the end, and notes what began from that moment on. */
        Void run(long noted, long end) throws Exception {
            Store.Writer writer = threads == 1 ? db.writer() : null;
            boolean isNoted = false;
            int number = first;
            for (long from = System.nanoTime(); from < end; ) {
                if (!isNoted && from >= noted) {
                    writtenBefore = writtenBytes();
                    isNoted = true;
                    from = System.nanoTime();
                }
                if (threads == 1) {
                    put(writer, number);
                    writer = Commits.committed(db, writer);
                } else {
                    // One that goes on with the next transaction can keep others from theirs
                    try (Store.Writer one = db.writer()) {
                        put(one, number);
                    }
                }
                last = System.nanoTime();
                if (isNoted) {
                    times.recordValue(last - from);
                }
                from = last;
                number += threads;
                number = number > own.transactions() ? first : number;
            }
            if (writer != null) {
                writer.close();
            }
            return null;
        }

        private void put(Store.Writer writer, int number) throws Exception {
            for (Ledger.Write write : own.transaction(number)) {
                writer.put(own.entry(write.position(), write.generation()));
            }
        }
    }

    /** Bytes that this process has sent to the device so far; null where the system has no such. */
    private static Long writtenBytes() throws IOException {
        if (!Files.exists(IO)) {
            return null;
        }
        try (var lines = Files.lines(IO)) {
            return lines.filter(line -> line.startsWith(WRITTEN))
                    .map(line -> Long.valueOf(line.substring(WRITTEN.length())))
                    .findFirst()
                    .orElse(null);
        }
    }
}
