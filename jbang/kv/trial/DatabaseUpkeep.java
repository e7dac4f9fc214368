package kv.trial;

import java.io.IOException;
import kv.bench.Database;
import kv.bench.Settle;
import kv.bench.Upkeep;

/** Keeps a database between passes, as {@link Probe} sees the process and the files. */
final class DatabaseUpkeep implements Upkeep {

    private static final double QUIET_LIMIT_SECONDS = 60;
    private static final int UNMAP_MILLIS = 50;

    private final Database database;
    private final double quietSeconds;

    /**
     * @param quietSeconds for which the process has to be at rest before its work counts as done
     */
    DatabaseUpkeep(Database database, double quietSeconds) {
        this.database = database;
        this.quietSeconds = quietSeconds;
    }

    @Override
    public void evict() throws Exception {
        // A mapping that Java holds ends with its buffer, and what is mapped cannot be evicted
        System.gc();
        Thread.sleep(UNMAP_MILLIS);
        Probe.evict(database.directory);
    }

    @Override
    public Settled settled() throws Exception {
        Probe.Counters loaded = Probe.counters();
        Double quiet = Probe.awaitQuiet(quietSeconds, QUIET_LIMIT_SECONDS);
        long openBytes = allocatedBytes();
        long closing = System.nanoTime();
        database.close();
        double closeSeconds = (System.nanoTime() - closing) / 1e9;
        Probe.Counters work = Probe.Counters.NONE.plus(loaded, Probe.counters());
        var settle = new Settle(
                quiet,
                closeSeconds,
                work.cpuUserNs(),
                work.cpuSystemNs(),
                work.osReadBytes(),
                work.osWrittenBytes());
        long closedBytes = allocatedBytes();
        database.open();
        return new Settled(settle, openBytes, closedBytes);
    }

    @Override
    public long allocatedBytes() throws IOException {
        return Probe.allocatedBytes(database.directory);
    }
}
