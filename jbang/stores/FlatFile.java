///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java

package stores;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Native;
import kv.Shape;
import kv.Sink;
import kv.Store;

/**
 * The physical limit: a memory-mapped file of fixed-size slots, the number in a key being the slot's index. No store
 * can be expected to be smaller or faster, as this one has no structure: it cannot grow, delete or hold other keys.
 */
public final class FlatFile implements Store {

    public static void main(String... arguments) {
        Cli.run(new FlatFile(), arguments);
    }

    @Override
    public About about() {
        return About.of(FlatFile.class, "Flat file", About.LIMIT, "#6b7280", "",
                        "a memory-mapped array of fixed-size entries, found by computing their place: the physical limit")
                .option("FileChannel.map", "READ_WRITE", "the page cache is the only cache",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/nio/channels/FileChannel.html")
                .option("force", "never", "durability is off in this test",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/nio/MappedByteBuffer.html#force()");
    }

    @Override
    public String engine() {
        return "memory-mapped file";
    }

    @Override
    public Db open(Path directory, Shape shape) throws Exception {
        if (shape.flatBytes() > Integer.MAX_VALUE) {
            throw new kv.UserError("The flat file is mapped in one piece of at most 2 GiB; use fewer or smaller entries");
        }
        MappedByteBuffer file;
        try (FileChannel channel = FileChannel.open(directory.resolve("flat"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file = channel.map(FileChannel.MapMode.READ_WRITE, 0, shape.flatBytes());
        }
        return new Slots(file, shape);
    }

    private static final class Slots implements Db, Writer, Reader {

        private final MappedByteBuffer file;  // kept: its collection would unmap the memory
        private final long start;
        private final Shape shape;
        private final int keyBytes;
        private final int entryBytes;
        private long touched;

        Slots(MappedByteBuffer file, Shape shape) {
            this.file = file;
            this.start = Native.address(file);
            this.shape = shape;
            this.keyBytes = shape.keys().bytes;
            this.entryBytes = shape.entryBytes();
        }

        private long slot(Entry entry) {
            return start + (long) entry.number() * entryBytes;
        }

        @Override
        public void put(Entry entry) {
            long slot = slot(entry);
            Native.copy(entry.keyAddress(), slot, keyBytes);
            Native.copy(entry.valueAddress(), slot + keyBytes, shape.valueBytes());
        }

        @Override
        public void get(Entry entry, Sink sink) {
            long slot = slot(entry);
            give(slot, sink);
        }

        @Override
        public void ascend(Sink sink) {
            long end = start + shape.flatBytes();
            for (long slot = start; slot < end; slot += entryBytes) {
                give(slot, sink);
            }
        }

        @Override
        public void descend(Sink sink) {
            for (long slot = start + shape.flatBytes() - entryBytes; slot >= start; slot -= entryBytes) {
                give(slot, sink);
            }
        }

        /** Reads a byte of the value: an address alone costs nothing, and says nothing of how fast memory can be read. */
        private void give(long slot, Sink sink) {
            touched += Native.byteAt(slot + keyBytes);
            sink.accept(slot, keyBytes, slot + keyBytes, shape.valueBytes());
        }

        @Override
        public Writer writer() {
            return this;
        }

        @Override
        public Reader reader() {
            return this;
        }

        @Override
        public void close() {
            // Nothing is held but the mapping, which the collector releases with this object.
        }
    }
}
