///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/CacheSize.java
//DEPS com.github.jnr:jnr-ffi:2.2.18

package stores;

import families.CacheSize;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.Variable;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.MemoryHeadroom;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Unavailable;
import kv.store.UserError;
import kv.store.Value;

/**
 * Kyoto Cabinet's TreeDB, a B+ tree in a hash database, through its C API. Scans take key and value
 * from the cursor in one call, which allocates a block for both that the caller frees: the API has
 * no other way.
 */
public final class TreeDb implements Store {

    private static final String LIBRARY = "libkyotocabinet.so.16";
    private static final String FILE = "db.kct";
    private static final int PAGE_BYTES = 8192;
    private static final long MAP_BYTES = 8L << 30;
    // These two of the LevelDB page, where a case grants memory
    private static final int SMALL_PAGE_BYTES = 1024;
    private static final long SMALL_MAP_BYTES = 256L << 20;
    private static final int LEAST_BUCKETS = 1 << 16; // its default

    /** The part of kclangc.h that is used. */
    public interface Api {
        Variable<Long> KCVERSION();

        Pointer kcdbnew();

        void kcdbdel(Pointer db);

        int kcdbopen(Pointer db, byte[] path, int mode);

        int kcdbclose(Pointer db);

        Pointer kcecodename(int code);

        int kcdbecode(Pointer db);

        int kcdbsync(Pointer db, int hard, Pointer process, Pointer its);

        int kcdbbegintran(Pointer db, int hard);

        int kcdbendtran(Pointer db, int commit);

        int kcdbset(Pointer db, long key, long keyBytes, long value, long valueBytes);

        int kcdbremove(Pointer db, long key, long keyBytes);

        int kcdbcopy(Pointer db, byte[] path);

        int kcdbgetbuf(Pointer db, long key, long keyBytes, long value, long mostBytes);

        Pointer kcdbcursor(Pointer db);

        void kccurdel(Pointer cursor);

        int kccurjump(Pointer cursor);

        int kccurjumpback(Pointer cursor);

        int kccurjumpkey(Pointer cursor, long key, long keyBytes);

        int kccurjumpbackkey(Pointer cursor, long key, long keyBytes);

        int kccurstepback(Pointer cursor);

        long kccurget(Pointer cursor, long keyBytes, long value, long valueBytes, int step);

        void kcfree(long block);
    }

    private static final int NO_RECORD = 7; // the code of its error
    private static final int WRITER = 1 << 1;
    private static final int CREATE = 1 << 2;
    private static final int AUTO_SYNC = 1 << 5;

    private static Api loaded;

    /**
     * The library, loaded when it is first used, so that the store can describe itself where it is
     * missing.
     */
    private static synchronized Api api() {
        if (loaded == null) {
            try {
                loaded = LibraryLoader.create(Api.class).failImmediately().load(LIBRARY);
            } catch (UnsatisfiedLinkError e) {
                throw new UserError(
                        "Kyoto Cabinet cannot be loaded: install the package libkyotocabinet16v5");
            }
        }
        return loaded;
    }

    public static void main(String... arguments) {
        Cli.run(new TreeDb(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String tips = "https://dbmx.net/kyotocabinet/spex.html#tutorial_tips";
        String api = "https://dbmx.net/kyotocabinet/api/classkyotocabinet_1_1PlantDB.html";
        return StoreDescriptor.of(
                        TreeDb.class,
                        "TreeDB",
                        StoreDescriptor.B_PLUS_TREE,
                        "#8f6a4f",
                        "com.github.jnr:jnr-ffi",
                        "Kyoto Cabinet's TreeDB through its C API, one put or get at a time")
                .option(Option.of(
                                "opts",
                                Value.in(
                                        "s, l (TSMALL, TLINEAR)",
                                        spec -> spec.compressed(true) ? "slc" : "sl"),
                                "as the LevelDB page has it: a smaller footprint of each record",
                                tips)
                        .sets(StringBuilder.class, (path, value) -> path.append("#opts=")
                                .append(value)))
                .option(Option.of(
                                "zcomp",
                                Value.in("none", spec -> spec.compressed(true) ? "lzo" : null),
                                "as for every store in this test; lzo, as the LevelDB page has it,"
                                        + " where a case compresses",
                                tips)
                        .sets(StringBuilder.class, (path, value) -> path.append("#zcomp=")
                                .append(value)))
                .option(Option.of(
                                "pccap",
                                Value.in(
                                        CacheSize.OUTSIDE_HEAP,
                                        spec -> spec.memory() == null
                                                ? CacheSize.outsideHeap(spec)
                                                : spec.memory().bytes()),
                                "page cache: holds all data; the default is 64 MiB",
                                api)
                        .sets(StringBuilder.class, (path, value) -> path.append("#pccap=")
                                .append(value)))
                .option(Option.of(
                                "psiz",
                                Value.in(
                                        String.valueOf(PAGE_BYTES),
                                        spec -> spec.memory() == null
                                                ? PAGE_BYTES
                                                : SMALL_PAGE_BYTES),
                                "the default",
                                api)
                        .sets(StringBuilder.class, (path, value) -> path.append("#psiz=")
                                .append(value)))
                .option(Option.of(
                                "msiz",
                                Value.in(
                                        (MAP_BYTES >> 30)
                                                + " GiB; 256 MiB where the data exceed the memory"
                                                + " outside the heap",
                                        TreeDb::mapBytes),
                                "reaches the file's pages without calls; the default is 64 MiB",
                                api)
                        .sets(StringBuilder.class, (path, value) -> path.append("#msiz=")
                                .append(value)))
                .option(Option.of(
                                "bnum",
                                Value.in(
                                        "two for each page of data, or the default of 65,536",
                                        TreeDb::buckets),
                                "pages are found by hash: with few buckets their chains are long",
                                tips)
                        .sets(StringBuilder.class, (path, value) -> path.append("#bnum=")
                                .append(value)))
                .usage(
                        "kcdbsync",
                        "when a load ends, hard off",
                        "the pages in its cache go to the file while the clock runs",
                        "https://dbmx.net/kyotocabinet/api/kclangc_8h.html")
                .usage(
                        "KCOAUTOSYNC",
                        "off",
                        "durability is off in this test",
                        "https://dbmx.net/kyotocabinet/api/kclangc_8h.html")
                .setting(
                        Setting.SYNC,
                        "transactions, hard where on, soft where os; entry by entry on is"
                                + " KCOAUTOSYNC, and os as off: until a load ends pages wait in its"
                                + " own cache, as on the LevelDB page")
                .setting(
                        Setting.MEMORY,
                        "pccap, for all of it; psiz 1024, msiz 256 MiB and the default bnum, as"
                                + " the LevelDB page has them")
                .setting(
                        Setting.COMPRESSION,
                        "on by default, as on the LevelDB page: opts c, zcomp lzo")
                .fixed(Setting.BATCH, "1", "TreeDB has no batches")
                .fixed(Setting.THREADS, "1", "is driven by one thread here");
    }

    @Override
    public String engine() {
        return "Kyoto Cabinet "
                + Pointer.wrap(Runtime.getRuntime(api()), api().KCVERSION().get())
                        .getString(0);
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        // Its API takes options behind the file's name
        StringBuilder path = new StringBuilder(directory.resolve(FILE).toString());
        describe().set(path, spec);
        Api api = api();
        Pointer db = api.kcdbnew();
        boolean each = spec.sync() == Sync.ON && !inTransactions(spec);
        int mode = WRITER | CREATE | (each ? AUTO_SYNC : 0);
        if (api.kcdbopen(db, text(path.toString()), mode) == 0) {
            String problem = problem(api, db);
            api.kcdbdel(db);
            throw new IllegalStateException("kcdbopen: " + problem);
        }
        return new Tree(api, db, spec);
    }

    /** Whether puts come in transactions, which only the writer's user ends. */
    private static boolean inTransactions(CaseSpec spec) {
        return spec.sync() != Sync.OFF && spec.count(Setting.BATCH, spec.entries()) > 1;
    }

    private static byte[] text(String text) {
        return (text + "\0").getBytes(StandardCharsets.UTF_8);
    }

    private static long mapBytes(CaseSpec spec) {
        boolean fits = spec.memory() == null && MemoryHeadroom.holds(spec.flatBytes());
        return fits ? MAP_BYTES : SMALL_MAP_BYTES;
    }

    private static long buckets(CaseSpec spec) {
        long wanted = spec.memory() == null ? 2 * spec.flatBytes() / PAGE_BYTES : 0;
        return Math.max(LEAST_BUCKETS, wanted);
    }

    private static String problem(Api api, Pointer db) {
        return api.kcecodename(api.kcdbecode(db)).getString(0);
    }

    private record Tree(Api api, Pointer db, CaseSpec spec) implements Db {

        @Override
        public Writer writer() {
            return inTransactions(spec) ? new Transactions(this) : new Puts(this);
        }

        @Override
        public Reader reader() {
            return new Reads(this);
        }

        @Override
        public void compact() {
            throw new Unavailable("defragments through its C++ API only");
        }

        @Override
        public void backup(Path directory) {
            if (api.kcdbcopy(db, text(directory.resolve(FILE).toString())) == 0) {
                throw new IllegalStateException("kcdbcopy: " + problem(api, db));
            }
        }

        @Override
        public void close() {
            boolean closed = api.kcdbclose(db) != 0;
            String problem = closed ? "" : problem(api, db);
            api.kcdbdel(db);
            if (!closed) {
                throw new IllegalStateException("kcdbclose: " + problem);
            }
        }
    }

    private static class Puts implements Writer {

        final Tree tree;

        Puts(Tree tree) {
            this.tree = tree;
        }

        @Override
        public void put(Entry entry) {
            int set = tree.api.kcdbset(
                    tree.db,
                    entry.keyAddress(),
                    entry.keyBytes(),
                    entry.valueAddress(),
                    entry.valueBytes());
            check("kcdbset", set);
        }

        @Override
        public void delete(Entry entry) {
            if (tree.api.kcdbremove(tree.db, entry.keyAddress(), entry.keyBytes()) == 0
                    && tree.api.kcdbecode(tree.db) != NO_RECORD) {
                throw new IllegalStateException("kcdbremove: " + problem(tree.api, tree.db));
            }
        }

        @Override
        public void commit() {
            close();
        }

        @Override
        public void close() {
            // Pages that wait in its own cache go to the file: a load ends with the system
            check("kcdbsync", tree.api.kcdbsync(tree.db, 0, null, null));
        }

        final void check(String call, int answer) {
            if (answer == 0) {
                throw new IllegalStateException(call + ": " + problem(tree.api, tree.db));
            }
        }
    }

    private static final class Transactions extends Puts {

        Transactions(Tree tree) {
            super(tree);
            begin();
        }

        private void begin() {
            int hard = tree.spec.sync() == Sync.ON ? 1 : 0;
            check("kcdbbegintran", tree.api.kcdbbegintran(tree.db, hard));
        }

        @Override
        public void commit() {
            close();
            begin();
        }

        @Override
        public void close() {
            check("kcdbendtran", tree.api.kcdbendtran(tree.db, 1));
        }
    }

    private static final class Reads implements Reader {

        private final Api api;
        private final Pointer db;
        private final Pointer buffer; // a value; before it three words that kccurget fills
        private final long words;
        private final long value;
        private final int valueBytes;

        Reads(Tree tree) {
            this.api = tree.api;
            this.db = tree.db;
            this.valueBytes = tree.spec.valueBytes();
            this.buffer = jnr.ffi.Memory.allocateDirect(
                    Runtime.getRuntime(api), 3 * Long.BYTES + valueBytes);
            this.words = buffer.address();
            this.value = words + 3 * Long.BYTES;
        }

        @Override
        public void get(Entry entry, Sink sink) {
            int found = api.kcdbgetbuf(db, entry.keyAddress(), entry.keyBytes(), value, valueBytes);
            if (found >= 0) {
                sink.accept(entry.keyAddress(), entry.keyBytes(), value, found);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            Pointer cursor = api.kcdbcursor(db);
            try {
                if (direction == Direction.FORWARDS) {
                    boolean more = (from == null
                                    ? api.kccurjump(cursor)
                                    : api.kccurjumpkey(cursor, from.keyAddress(), from.keyBytes()))
                            != 0;
                    for (int left = limit; more && left > 0; left--) {
                        more = emit(cursor, 1, sink); // the call that gives the entry moves on
                    }
                } else {
                    boolean more = (from == null
                                    ? api.kccurjumpback(cursor)
                                    : api.kccurjumpbackkey(
                                            cursor, from.keyAddress(), from.keyBytes()))
                            != 0;
                    for (int left = limit; more && left > 0; left--) {
                        emit(cursor, 0, sink);
                        more = api.kccurstepback(cursor) != 0;
                    }
                }
            } finally {
                api.kccurdel(cursor);
            }
        }

        /** Gives what the cursor is on to the sink; false when it is past the end. */
        private boolean emit(Pointer cursor, int step, Sink sink) {
            long block =
                    api.kccurget(cursor, words, words + Long.BYTES, words + 2 * Long.BYTES, step);
            if (block == 0) {
                return false;
            }
            sink.accept(block, (int) buffer.getLong(0), buffer.getLong(Long.BYTES), (int)
                    buffer.getLong(2 * Long.BYTES));
            api.kcfree(block);
            return true;
        }

        @Override
        public void close() {
            // Cursors are closed by the scans.
        }
    }
}
