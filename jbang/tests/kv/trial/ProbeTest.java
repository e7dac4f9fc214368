package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.RandomAccessFile;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import kv.bench.Cost;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a trial says it cost, held against what the system says of the same process elsewhere. */
class ProbeTest {

    private static final long TICK_NS = 10_000_000; // of /proc/self/stat, on Linux
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    @BeforeEach
    void needsProc() {
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "only Linux has it");
    }

    /** The number after a name in a file of /proc/self. */
    private static long number(String file, String name) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self", file))) {
                String[] words = line.strip().split("\\s+");
                if (words[0].equals(name + ":")) {
                    return Long.parseLong(words[1]);
                }
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        throw new AssertionError(file + " has no " + name);
    }

    /** User (13) or system (14) time of all threads, as /proc/self/stat counts it. */
    private static long cpuNs(int field) {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[field - 2]) * TICK_NS;
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** That a number which only grows lies between two other readings of it. */
    private static void assertBetween(LongSupplier other, LongSupplier probed, long tolerance) {
        long before = other.getAsLong();
        long found = probed.getAsLong();
        long after = other.getAsLong();
        assertTrue(
                found >= before - tolerance && found <= after + tolerance,
                found + " is not between " + before + " and " + after);
    }

    /** Computes for so long, however busy the machine is. */
    static void burn(long ms) {
        var thread = ManagementFactory.getThreadMXBean();
        long end = thread.getCurrentThreadCpuTime() + ms * 1_000_000;
        while (thread.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    /** Makes the kernel work for this thread. */
    private static void askTheSystem(long ms) {
        long end = System.nanoTime() + ms * 1_000_000;
        while (System.nanoTime() < end) {
            number("status", "Threads");
        }
    }

    private static Path write(Path file, int bytes) throws Exception {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocateDirect(bytes));
            channel.force(true);
        }
        return file;
    }

    @Test
    void cpuTimeIsThatOfTheSystemWithinTwoOfItsTicks() {
        burn(100);
        askTheSystem(100);
        assertBetween(() -> cpuNs(13), () -> Probe.counters().cpuUserNs(), 2 * TICK_NS);
        assertBetween(() -> cpuNs(14), () -> Probe.counters().cpuSystemNs(), 2 * TICK_NS);
        assertTrue(cpuNs(13) >= 5 * TICK_NS && cpuNs(14) > 0, "there was something to compare");
    }

    @Test
    void bytesReadAndWrittenAreThoseOfTheSystem() throws Exception {
        long before = Probe.counters().osWrittenBytes();
        write(folder.resolve("file"), 4 * MIB);
        long written = Probe.counters().osWrittenBytes() - before;
        assertTrue(written >= 4 * MIB && written < 6 * MIB, "written: " + written);
        assertBetween(
                () -> number("io", "write_bytes"), () -> Probe.counters().osWrittenBytes(), 0);
        assertBetween(() -> number("io", "read_bytes"), () -> Probe.counters().osReadBytes(), 0);
    }

    @Test
    void thePeakOfMemoryIsInBytesAndBeginsAnew() throws Exception {
        assertBetween(() -> number("status", "VmHWM") * 1024, Probe::peakRssBytes, 0);
        Probe.resetPeakRss();
        long before = Probe.peakRssBytes();
        assertTrue(before < 1.05 * residentBytes() + 8 * MIB);
        ByteBuffer block = ByteBuffer.allocateDirect(64 * MIB);
        for (int at = 0; at < block.capacity(); at += 4096) {
            block.put(at, (byte) 1);
        }
        long grown = Probe.peakRssBytes() - before;
        assertTrue(grown >= 60 * MIB && grown < 100 * MIB, "grown: " + grown);
        block = null;
        for (int time = 0; residentBytes() > before + 40 * MIB && time < 100; time++) {
            System.gc(); // frees the block
            Thread.sleep(50);
        }
        assertTrue(residentBytes() < before + 40 * MIB, "it is free");
        assertTrue(Probe.peakRssBytes() - before >= 60 * MIB, "and the peak is what it was");
    }

    private static long residentBytes() {
        return number("status", "VmRSS") * 1024;
    }

    @Test
    void collectionsAreThoseOfTheJvm() {
        List<GarbageCollectorMXBean> all = ManagementFactory.getGarbageCollectorMXBeans();
        Probe.Counters before = Probe.counters();
        System.gc();
        System.gc();
        long found = Probe.counters().gcCount() - before.gcCount();
        assertTrue(found >= 2 && found < 10, "collections: " + found);
        assertBetween(
                () -> all.stream()
                        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                        .sum(),
                () -> Probe.counters().gcMs(),
                0);
    }

    @Test
    void spaceIsWhatDuCounts() throws Exception {
        Files.createDirectories(folder.resolve("a/b"));
        write(folder.resolve("a/whole"), 3 * MIB + 1);
        write(folder.resolve("a/b/small"), 1);
        try (RandomAccessFile sparse =
                new RandomAccessFile(folder.resolve("a/sparse").toFile(), "rw")) {
            sparse.setLength(50 * MIB);
            sparse.seek(20 * MIB);
            sparse.write(1);
        }
        Process du = new ProcessBuilder("du", "-c", "-B1", "a/whole", "a/b/small", "a/sparse")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String[] lines = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .strip()
                .split("\n");
        long total = Long.parseLong(lines[lines.length - 1].split("\\s+")[0]);
        assertEquals(total, Probe.allocatedBytes(folder), Arrays.toString(lines));
        assertTrue(total >= 3 * MIB && total < 10 * MIB, "holes take no space");
    }

    @Test
    void openFilesAndThreadsAreCounted() throws Exception {
        int before = Probe.openFiles();
        Path own = Files.createDirectories(folder.resolve("own"));
        Path other = Files.createDirectories(folder.resolve("own-too"));
        try (RandomAccessFile one = new RandomAccessFile(own.resolve("1").toFile(), "rw");
                RandomAccessFile two = new RandomAccessFile(own.resolve("2").toFile(), "rw");
                RandomAccessFile same = new RandomAccessFile(own.resolve("2").toFile(), "rw");
                RandomAccessFile not = new RandomAccessFile(other.resolve("3").toFile(), "rw")) {
            assertEquals(4, Probe.openFiles() - before, 2, "the JVM may open one meanwhile");
            assertEquals(2, Probe.filesHeld(own));
            one.setLength(4096);
            var map = one.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 4096);
            one.close();
            assertEquals(2, Probe.filesHeld(own), "one is mapped");
            assertEquals(0, map.get(0));
        }
        assertNull(Probe.filesHeld(folder.resolve("none")));
        assertEquals(number("status", "Threads"), Probe.threads(), 3, "compilers come and go");
    }

    @Test
    void aDifferenceIsAddedUpFieldByField() {
        var sum = new Probe.Counters(1, 2, 3L, 4L, 5, 6);
        var from = new Probe.Counters(10, 20, 30L, 40L, 50, 60);
        var to = new Probe.Counters(110, 220, 330L, 440L, 550, 660);
        assertEquals(new Probe.Counters(101, 202, 303L, 404L, 505, 606), sum.plus(from, to));
        var blind = new Probe.Counters(10, 20, null, null, 50, 60);
        assertEquals(new Probe.Counters(101, 202, null, null, 505, 606), sum.plus(blind, to));
    }

    @Test
    void onlyWhatPassesCostIsAddedUp() throws Exception {
        ProcessCosts costs = new ProcessCosts(folder);
        System.gc();
        costs.begin();
        burn(100);
        costs.pause();
        burn(500);
        System.gc();
        write(folder.resolve("between"), 8 * MIB);
        costs.resume();
        burn(100);
        write(folder.resolve("counted"), 2 * MIB);
        costs.pause();
        Cost cost = costs.total();
        long cpu = cost.cpuUserNs() + cost.cpuSystemNs();
        assertTrue(cpu >= 195e6 && cpu < 450e6, "CPU: " + cpu);
        assertTrue(
                cost.osWrittenBytes() >= 2 * MIB && cost.osWrittenBytes() < 6 * MIB,
                "written: " + cost.osWrittenBytes());
        assertEquals(0, cost.gcCount());
        costs.begin();
        costs.pause();
        assertTrue(costs.total().osWrittenBytes() < MIB, "begin forgets");
        assertTrue(Math.abs(costs.total().peakRssBytes() - number("status", "VmHWM") * 1024)
                < 16 * MIB);
    }
}
