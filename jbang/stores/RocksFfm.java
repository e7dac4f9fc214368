///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/RocksSide.java ../families/RocksCalls.java
//SOURCES ../families/Foreign.java

package stores;

import families.RocksCalls;
import families.RocksOptions;
import families.RocksSide;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import kv.cli.Cli;
import kv.data.Native;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entries;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;

/** RocksDB from Java without JNI: its C API through the foreign-function API. */
public final class RocksFfm extends RocksSide {

    private static final int FIRST_JDK = 22;
    private static final List<String> CALLS = List.of("classic", "direct", "critical");

    public static void main(String... arguments) {
        Cli.run(new RocksFfm(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        RocksFfm.class,
                        "FFM",
                        "#7b61c9",
                        "RocksDB's C API through Java's foreign-function API",
                        "classic: values are read where RocksDB has them; direct: copied into one"
                            + " buffer; critical: scans whose calls that return at once skip the"
                            + " thread's change of state")
                .usage(
                        "Linker.downcallHandle",
                        "pointers as long",
                        "these functions take and return nothing else",
                        "https://docs.oracle.com/en/java/javase/25/docs/api/"
                                + "java.base/java/lang/foreign/Linker.html");
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        String calls = spec.calls(CALLS, "classic");
        int jdk = Runtime.version().feature();
        if (jdk < FIRST_JDK) {
            throw new Unavailable("the foreign-function API needs JDK " + FIRST_JDK
                    + " or newer, and this is " + jdk);
        }
        return call(() -> {
            long db = RocksCalls.open(options(), directory);
            return new Tables(
                    directory,
                    db,
                    RocksCalls.readOptions(),
                    RocksCalls.writeOptions(),
                    spec,
                    calls);
        });
    }

    /** What calls through method handles, which may throw anything. */
    private interface Call<T> {
        T run() throws Throwable;
    }

    private static <T> T call(Call<T> call) throws Exception {
        try {
            return call.run();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private record Tables(
            Path directory, long db, long reading, long writing, CaseSpec spec, String calls)
            implements Db {

        @Override
        public Writer writer() {
            return new Puts(this);
        }

        @Override
        public Reader reader() {
            return new Reads(this);
        }

        @Override
        public void compact() throws Exception {
            call(() -> {
                RocksCalls.compact(db);
                return null;
            });
        }

        @Override
        public void backup(Path copy) throws Exception {
            Files.delete(copy); // which a checkpoint wants to make itself
            call(() -> {
                RocksCalls.checkpoint(db, copy);
                return null;
            });
        }

        @Override
        public List<Object> configured() throws IOException {
            return List.of(new RocksOptions(directory));
        }

        @Override
        public void close() throws Exception {
            call(() -> {
                RocksCalls.close(db);
                return null;
            });
        }
    }

    private static final class Puts implements Writer {

        private final Tables tables;
        private final RocksCalls.Out out = new RocksCalls.Out();

        Puts(Tables tables) {
            this.tables = tables;
        }

        @Override
        public void put(Entry entry) throws Exception {
            try {
                RocksCalls.put(
                        tables.db,
                        tables.writing,
                        entry.keyAddress(),
                        entry.keyBytes(),
                        entry.valueAddress(),
                        entry.valueBytes(),
                        out);
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void delete(Entry entry) throws Exception {
            call(() -> {
                RocksCalls.delete(
                        tables.db, tables.writing, entry.keyAddress(), entry.keyBytes(), out);
                return null;
            });
        }

        @Override
        public void close() {
            // Every put is visible when it returns.
        }
    }

    private static final class Reads implements Reader {

        private final long db;
        private final long options;
        private final boolean critical;
        private final boolean copying;
        private final ByteBuffer buffer;
        private final RocksCalls.Out keyOut = new RocksCalls.Out();
        private final RocksCalls.Out out = new RocksCalls.Out();

        Reads(Tables tables) {
            db = tables.db;
            options = tables.reading;
            critical = tables.calls.equals("critical");
            copying = tables.calls.equals("direct");
            buffer = ByteBuffer.allocateDirect(tables.spec.valueBytes());
        }

        @Override
        public void get(Entry entry, Sink sink) throws Exception {
            try {
                if (copying) {
                    getInto(entry, sink);
                } else {
                    getPinned(entry, sink);
                }
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        private void getPinned(Entry entry, Sink sink) throws Throwable {
            long pinned =
                    RocksCalls.getPinned(db, options, entry.keyAddress(), entry.keyBytes(), out);
            if (pinned != 0) {
                long value = RocksCalls.pinnedValue(pinned, out);
                sink.accept(entry.keyAddress(), entry.keyBytes(), value, out.length());
                RocksCalls.unpin(pinned);
            }
        }

        private void getInto(Entry entry, Sink sink) throws Throwable {
            long address = Native.address(buffer);
            if (RocksCalls.getInto(
                    db,
                    options,
                    entry.keyAddress(),
                    entry.keyBytes(),
                    address,
                    buffer.capacity(),
                    out)) {
                sink.accept(entry.keyAddress(), entry.keyBytes(), address, out.length());
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) throws Exception {
            call(() -> {
                long iterator = RocksCalls.iterator(db, options);
                if (direction == Direction.FORWARDS) {
                    if (from == null) {
                        RocksCalls.first(iterator);
                    } else {
                        RocksCalls.seek(iterator, from.keyAddress(), from.keyBytes());
                    }
                    for (int left = limit;
                            left > 0 && RocksCalls.valid(iterator, critical);
                            left--) {
                        emit(iterator, sink);
                        RocksCalls.next(iterator);
                    }
                } else {
                    if (from == null) {
                        RocksCalls.last(iterator);
                    } else {
                        RocksCalls.seekForPrev(iterator, from.keyAddress(), from.keyBytes());
                    }
                    for (int left = limit;
                            left > 0 && RocksCalls.valid(iterator, critical);
                            left--) {
                        emit(iterator, sink);
                        RocksCalls.prev(iterator);
                    }
                }
                RocksCalls.destroy(iterator);
                return null;
            });
        }

        @Override
        public void multiGet(Entries wanted, Sink sink) throws Exception {
            int keyBytes = wanted.at(0).keyBytes();
            ByteBuffer keys = ByteBuffer.allocateDirect(wanted.count() * keyBytes);
            long at = Native.address(keys);
            for (int place = 0; place < wanted.count(); place++) {
                Entry each = wanted.at(place);
                Native.copy(each.keyAddress(), at + (long) place * keyBytes, keyBytes);
            }
            call(() -> {
                RocksCalls.multiGet(
                        db,
                        options,
                        at,
                        keyBytes,
                        wanted.count(),
                        (place, value, valueBytes) -> sink.accept(
                                at + (long) place * keyBytes, keyBytes, value, valueBytes));
                return null;
            });
            Reference.reachabilityFence(keys);
        }

        private void emit(long iterator, Sink sink) throws Throwable {
            long key = RocksCalls.key(iterator, keyOut, critical);
            long value = RocksCalls.value(iterator, out, critical);
            sink.accept(key, keyOut.length(), value, out.length());
        }

        @Override
        public void close() {
            // The options live as long as the process: they are a few bytes.
        }
    }
}
