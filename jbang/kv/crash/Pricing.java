package kv.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import kv.store.Store;
import org.HdrHistogram.Histogram;

/** Times the commits of a ledger, over and over until the time is up. */
public final class Pricing {

    private static final int DIGITS = 3;
    private static final Path IO = Path.of("/proc/self/io");
    private static final String WRITTEN = "write_bytes: ";

    private Pricing() {}

    /**
     * Times commits.
     *
     * @param directory exists and is empty
     * @param warmUpSeconds for which nothing is noted
     * @param seconds after which it ends
     */
    public static Price of(
            Store store, Ledger ledger, Path directory, double warmUpSeconds, double seconds)
            throws Exception {
        Histogram times = new Histogram(DIGITS);
        try (Store.Db db = store.open(directory, ledger.spec)) {
            Store.Writer writer = db.writer();
            long begun = System.nanoTime();
            long noted = 0; // when the first was noted
            Long before = null;
            long now = begun;
            for (int number = 1; now - begun < (warmUpSeconds + seconds) * 1e9; ) {
                if (noted == 0 && now - begun >= warmUpSeconds * 1e9) {
                    before = writtenBytes();
                    noted = System.nanoTime();
                }
                long from = System.nanoTime();
                for (Ledger.Write write : ledger.transaction(number)) {
                    writer.put(ledger.entry(write.position(), write.generation()));
                }
                writer = Commits.committed(db, writer);
                now = System.nanoTime();
                if (noted > 0) {
                    times.recordValue(now - from);
                }
                number = number % ledger.transactions() + 1;
            }
            Long written = before == null ? null : Long.valueOf(writtenBytes() - before);
            writer.close();
            return new Price(
                    times.getTotalCount(),
                    (now - noted) / 1e9,
                    times.getValueAtPercentile(50),
                    times.getValueAtPercentile(99),
                    times.getValueAtPercentile(99.9),
                    times.getMaxValue(),
                    written);
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
