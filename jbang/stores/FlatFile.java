///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java

package stores;

import java.lang.reflect.Field;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import kv.cli.Cli;
import kv.data.Native;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;
import sun.misc.Unsafe;

/**
 * The physical limit: a memory-mapped file of fixed-size slots, the rank of a key among all being
 * the slot's index. No store can be expected to be smaller or faster, as this one has no structure:
 * it cannot grow, delete or hold other keys.
 */
public final class FlatFile implements Store {

    public static void main(String... arguments) {
        Cli.run(new FlatFile(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                        FlatFile.class,
                        "Flat file",
                        StoreDescriptor.BASELINE,
                        "#6b7280",
                        "",
                        "a memory-mapped array of fixed-size entries, found by computing their"
                                + " place: the physical limit")
                .usage(
                        "FileChannel.map",
                        "READ_WRITE",
                        "the page cache is the only cache",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/"
                                + "java.base/java/nio/channels/FileChannel.html")
                .usage(
                        "force",
                        "never",
                        "durability is off in this test",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/"
                                + "java.base/java/nio/MappedByteBuffer.html#force()");
    }

    @Override
    public String engine() {
        return "memory-mapped file";
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        // Of a mapping, which has 2 GiB at most
        int slots = Integer.highestOneBit(Integer.MAX_VALUE / spec.entryBytes());
        List<MappedByteBuffer> maps = new ArrayList<>();
        try (FileChannel channel = FileChannel.open(
                directory.resolve("flat"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            long mapBytes = (long) slots * spec.entryBytes();
            for (long from = 0; from < spec.flatBytes(); from += mapBytes) {
                maps.add(channel.map(
                        FileChannel.MapMode.READ_WRITE,
                        from,
                        Math.min(mapBytes, spec.flatBytes() - from)));
            }
        }
        return new Mapped(maps, new Slots(maps, slots, spec));
    }

    private record Mapped(List<MappedByteBuffer> maps, Slots slots) implements Db {

        @Override
        public Writer writer() {
            return slots;
        }

        @Override
        public Reader reader() {
            return slots;
        }

        /**
         * Unmaps at once. The collector may come long after the file was deleted, and until then a
         * mapping holds its disk space.
         */
        @Override
        public void close() throws ReflectiveOperationException {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            Unsafe unsafe = (Unsafe) field.get(null);
            maps.forEach(unsafe::invokeCleaner);
        }
    }

    private static final class Slots implements Writer, Reader {

        private final long[] starts;
        private final int shift;
        private final int mask;
        private final int entries;
        private final int keyBytes;
        private final int entryBytes;
        private long touched;

        Slots(List<MappedByteBuffer> maps, int slots, CaseSpec spec) {
            this.starts = maps.stream().mapToLong(Native::address).toArray();
            this.shift = Integer.numberOfTrailingZeros(slots);
            this.mask = slots - 1;
            this.entries = spec.entries();
            this.keyBytes = spec.keys().bytes;
            this.entryBytes = spec.entryBytes();
        }

        private long slot(int rank) {
            return starts[rank >>> shift] + (long) (rank & mask) * entryBytes;
        }

        @Override
        public void put(Entry entry) {
            long slot = slot(entry.rank());
            Native.copy(entry.keyAddress(), slot, keyBytes);
            Native.copy(entry.valueAddress(), slot + keyBytes, entryBytes - keyBytes);
        }

        @Override
        public void get(Entry entry, Sink sink) {
            emit(slot(entry.rank()), sink);
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            if (from != null || limit != ALL) {
                throw new Unavailable("scans all of it or nothing");
            }
            if (direction == Direction.FORWARDS) {
                ascend(sink);
            } else {
                descend(sink);
            }
        }

        private void ascend(Sink sink) {
            for (int first = 0; first < entries; first += mask + 1) {
                long slot = slot(first);
                long end = slot + (long) Math.min(entries - first, mask + 1) * entryBytes;
                for (; slot < end; slot += entryBytes) {
                    emit(slot, sink);
                }
            }
        }

        private void descend(Sink sink) {
            for (int last = entries - 1; last >= 0; last = (last & ~mask) - 1) {
                long start = slot(last & ~mask);
                for (long slot = slot(last); slot >= start; slot -= entryBytes) {
                    emit(slot, sink);
                }
            }
        }

        /**
         * Reads a byte of the value: an address alone costs nothing, and says nothing of how fast
         * memory can be read.
         */
        private void emit(long slot, Sink sink) {
            touched += Native.byteAt(slot + keyBytes);
            sink.accept(slot, keyBytes, slot + keyBytes, entryBytes - keyBytes);
        }

        @Override
        public void close() {
            // What was written can be read, and what was read is not held.
        }
    }
}
