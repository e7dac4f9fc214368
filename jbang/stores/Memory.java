///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java

package stores;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import kv.cli.Cli;
import kv.data.Native;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;

/**
 * No store at all: one block of memory, indexed by the rank of the key. A pass over entries so
 * small that reading them costs next to nothing shows what the harness itself costs.
 */
public class Memory implements Store {

    private static final String BLOCK = "memory"; // this JVM's, by its system properties

    public static void main(String... arguments) {
        Cli.run(new Memory(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                        Memory.class,
                        "Memory",
                        StoreDescriptor.CONTROL,
                        "#9ca3af",
                        "",
                        "a block of memory that nothing keeps: what the harness itself costs")
                .usage(
                        "ByteBuffer.allocateDirect",
                        "entries x entry bytes",
                        "as native stores hand entries out: by address",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/"
                                + "java.base/java/nio/ByteBuffer.html");
    }

    @Override
    public String engine() {
        return "none";
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        return new Slots(this, block(spec), spec);
    }

    /**
     * Outlives the database and this class, which each workload defines anew, so that opening it
     * again finds the entries.
     */
    private static ByteBuffer block(CaseSpec spec) {
        Properties kept = System.getProperties();
        ByteBuffer block = (ByteBuffer) kept.get(BLOCK);
        if (block == null || block.capacity() != spec.flatBytes()) {
            block = ByteBuffer.allocateDirect(Math.toIntExact(spec.flatBytes()));
            kept.put(BLOCK, block);
        }
        return block;
    }

    /** Looks at an entry's bytes as it is read: not at all, as the harness does not either. */
    protected void touch(long entry, int bytes) {
        // MemoryBandwidth reads them.
    }

    private record Slots(Memory memory, long start, int keyBytes, int valueBytes, int entries)
            implements Db, Writer, Reader {

        Slots(Memory memory, ByteBuffer block, CaseSpec spec) {
            this(
                    memory,
                    Native.address(block),
                    spec.keys().bytes,
                    spec.valueBytes(),
                    spec.entries());
        }

        @Override
        public void put(Entry entry) {
            long slot = slot(entry.rank());
            Native.copy(entry.keyAddress(), slot, keyBytes);
            Native.copy(entry.valueAddress(), slot + keyBytes, valueBytes);
        }

        @Override
        public void get(Entry entry, Sink sink) {
            accept(slot(entry.rank()), sink);
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
            for (long slot = start, end = slot(entries);
                    slot < end;
                    slot += keyBytes + valueBytes) {
                accept(slot, sink);
            }
        }

        private void descend(Sink sink) {
            for (long slot = slot(entries - 1); slot >= start; slot -= keyBytes + valueBytes) {
                accept(slot, sink);
            }
        }

        private long slot(int rank) {
            return start + (long) rank * (keyBytes + valueBytes);
        }

        private void accept(long slot, Sink sink) {
            memory.touch(slot, keyBytes + valueBytes);
            sink.accept(slot, keyBytes, slot + keyBytes, valueBytes);
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
            // The memory is the store's.
        }
    }
}
