package kv.trial;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Memory;
import jnr.ffi.Pointer;
import jnr.posix.FileStat;
import jnr.posix.POSIX;
import jnr.posix.POSIXFactory;

/**
 * What this process has cost the machine, as the operating system counts it: all threads, native
 * ones included. Where the system has no such figure (no {@code /proc}), it is null, never zero.
 */
final class Probe {

    /**
     * The part of libc that is asked for CPU time; {@code times} in the JDK only counts hundredths
     * of a second.
     */
    public interface LibC {
        int getrusage(int who, Pointer usage);

        int posix_fadvise(int file, long offset, long bytes, int advice);
    }

    private static final LibC LIBC = LibraryLoader.create(LibC.class).load("c");
    private static final POSIX POSIX = POSIXFactory.getPOSIX();
    private static final Path SELF = Path.of("/proc/self");
    private static final int DONTNEED = 4; // of posix_fadvise, on Linux
    // The unit of st_blocks, whatever the file system's block size
    private static final int BLOCK_BYTES = 512;

    private Probe() {}

    /**
     * What was counted until one moment, or the difference of two. Nanoseconds, bytes,
     * milliseconds, collections.
     */
    record Counters(
            long cpuUserNs,
            long cpuSystemNs,
            Long osReadBytes,
            Long osWrittenBytes,
            long gcMs,
            long gcCount) {

        static final Counters NONE = new Counters(0, 0, 0L, 0L, 0, 0);

        Counters plus(Counters from, Counters to) {
            return new Counters(
                    cpuUserNs + to.cpuUserNs - from.cpuUserNs,
                    cpuSystemNs + to.cpuSystemNs - from.cpuSystemNs,
                    add(osReadBytes, from.osReadBytes, to.osReadBytes),
                    add(osWrittenBytes, from.osWrittenBytes, to.osWrittenBytes),
                    gcMs + to.gcMs - from.gcMs,
                    gcCount + to.gcCount - from.gcCount);
        }

        private static Long add(Long sum, Long from, Long to) {
            return sum == null || from == null || to == null ? null : Long.valueOf(sum + to - from);
        }
    }

    static Counters counters() {
        long gcMs = 0;
        long gcCount = 0;
        for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans()) {
            gcMs += gc.getCollectionTime();
            gcCount += gc.getCollectionCount();
        }
        Pointer usage = Memory.allocateDirect(jnr.ffi.Runtime.getRuntime(LIBC), 256);
        LIBC.getrusage(0, usage); // begins with two struct timeval: user, then system
        return new Counters(
                timeval(usage, 0),
                timeval(usage, 16),
                field("io", "read_bytes"),
                field("io", "write_bytes"),
                gcMs,
                gcCount);
    }

    private static long timeval(Pointer usage, long offset) {
        return usage.getLong(offset) * 1_000_000_000L + usage.getInt(offset + 8) * 1_000L;
    }

    /** Starts a new peak of resident memory, where the kernel lets a process do that. */
    static void resetPeakRss() {
        try {
            Files.writeString(SELF.resolve("clear_refs"), "5");
        } catch (IOException e) {
            // Not Linux, or not allowed: the peak then is that of the whole process so far.
        }
    }

    /** Highest resident memory since {@link #resetPeakRss}, mapped files included, in bytes. */
    static Long peakRssBytes() {
        Long kib = field("status", "VmHWM");
        return kib == null ? null : Long.valueOf(kib * 1024);
    }

    /**
     * Files, sockets and pipes that the whole process has open: the JVM's own and those of its
     * libraries among them.
     */
    static Integer openFiles() {
        return entries("fd");
    }

    /**
     * Files under a directory that this process holds open or mapped into memory; null where the
     * system does not show them.
     */
    static Integer filesHeld(Path directory) {
        Set<String> held = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(SELF.resolve("fd"));
                Stream<String> maps = Files.lines(SELF.resolve("maps"))) {
            String within = directory.toRealPath() + "/";
            for (Path descriptor : descriptors.toList()) {
                try {
                    held.add(Files.readSymbolicLink(descriptor).toString());
                } catch (NoSuchFileException e) {
                    // closed since it was listed, as the one of the list itself
                }
            }
            maps.filter(line -> line.indexOf('/') >= 0)
                    .forEach(line -> held.add(line.substring(line.indexOf('/'))));
            return (int) held.stream().filter(file -> file.startsWith(within)).count();
        } catch (IOException e) {
            return null;
        }
    }

    static Integer threads() {
        return entries("task");
    }

    /**
     * Bytes of disk blocks under a directory: what its files really occupy, holes not counted.
     * Files that a store's own threads remove meanwhile count for nothing.
     */
    static long allocatedBytes(Path directory) throws IOException {
        long[] blocks = {0};
        FileStat status = POSIX.allocateStat();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && POSIX.stat(file.toString(), status) == 0) {
                    blocks[0] += status.blocks();
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException problem)
                    throws IOException {
                if (problem instanceof NoSuchFileException && !file.equals(directory)) {
                    return FileVisitResult.CONTINUE;
                }
                throw problem;
            }
        });
        return blocks[0] * BLOCK_BYTES;
    }

    /**
     * Has the system forget what it holds in memory of the files under a directory, which nobody
     * may have mapped: the next reading comes from the device. Needs no rights but those to the
     * files. What is in them is written to the device first.
     */
    static void evict(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path path : files.filter(Files::isRegularFile).toList()) {
                int file = POSIX.open(path.toString(), 0, 0);
                int failed = file < 0
                        ? POSIX.errno()
                        : POSIX.fsync(file) != 0
                                ? POSIX.errno()
                                : LIBC.posix_fadvise(file, 0, 0, DONTNEED);
                if (file >= 0) {
                    POSIX.close(file);
                }
                if (failed != 0) {
                    throw new IOException("the page cache of " + path.getFileName()
                            + " cannot be dropped: error " + failed);
                }
            }
        }
    }

    /**
     * Waits until background work has died down: under 5% of one core.
     *
     * @param window seconds for which it has to last
     * @return seconds until the quiet began; null when it had not by the limit
     */
    static Double awaitQuiet(double window, double limitSeconds) throws InterruptedException {
        long start = System.nanoTime();
        for (double waited = 0; waited < limitSeconds; waited = (System.nanoTime() - start) / 1e9) {
            Counters before = counters();
            Thread.sleep((long) (window * 1000));
            Counters spent = Counters.NONE.plus(before, counters());
            if (spent.cpuUserNs + spent.cpuSystemNs < 0.05 * window * 1e9) {
                return waited;
            }
        }
        return null;
    }

    private static Integer entries(String folder) {
        try (Stream<Path> list = Files.list(SELF.resolve(folder))) {
            return (int) list.count();
        } catch (IOException e) {
            return null;
        }
    }

    private static Long field(String file, String name) {
        try {
            for (String line : Files.readAllLines(SELF.resolve(file))) {
                if (line.startsWith(name + ":")) {
                    return Long.valueOf(line.replaceAll("\\D+", " ").strip().split(" ")[0]);
                }
            }
            return null;
        } catch (IOException e) {
            return null;
        }
    }
}
