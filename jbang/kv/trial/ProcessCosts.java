package kv.trial;

import java.nio.file.Path;
import kv.bench.Cost;
import kv.bench.CostMeter;

/**
 * What passes cost this process, all threads and native code included, as {@link Probe} reads it.
 */
final class ProcessCosts implements CostMeter {

    private final Path directory;
    private Probe.Counters sum = Probe.Counters.NONE;
    private Probe.Counters mark = Probe.Counters.NONE;

    /** @param directory the database's: its open files are counted */
    ProcessCosts(Path directory) {
        this.directory = directory;
    }

    @Override
    public void begin() {
        Probe.resetPeakRss();
        sum = Probe.Counters.NONE;
        resume();
    }

    @Override
    public void resume() {
        mark = Probe.counters();
    }

    @Override
    public void pause() {
        sum = sum.plus(mark, Probe.counters());
    }

    @Override
    public Cost total() {
        return new Cost(
                sum.cpuUserNs(),
                sum.cpuSystemNs(),
                sum.osReadBytes(),
                sum.osWrittenBytes(),
                Probe.peakRssBytes(),
                sum.gcMs(),
                sum.gcCount(),
                Probe.openFiles(),
                Probe.filesHeld(directory),
                Probe.threads());
    }
}
