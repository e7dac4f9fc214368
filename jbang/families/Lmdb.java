package families;

import java.util.List;
import kv.store.CaseSpec;
import kv.store.MemoryHeadroom;
import kv.store.Option;
import kv.store.Order;
import kv.store.Setting;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Value;

/**
 * What every binding of LMDB is run with: the engine and its settings are one, only the way to it
 * differs.
 */
public final class Lmdb {

    private static final String API = "http://www.lmdb.tech/doc/group__mdb.html#";

    // Of lmdb.h: the same in all its versions
    private static final int NOSYNC = 0x10000;
    private static final int NOMETASYNC = 0x40000;
    private static final int WRITEMAP = 0x80000;
    private static final int NORDAHEAD = 0x800000;

    /** Why {@link kv.store.Store.Db#compact()} is not available. */
    public static final String NO_COMPACTION =
            "reuses its pages, and never gives them back: only a copy of it is compact";

    private static final String GET = "get";
    private static final String CURSOR = "cursor";
    private static final List<String> CALLS = List.of(GET, CURSOR);

    private Lmdb() {}

    /** The description with LMDB's options. */
    public static StoreDescriptor options(StoreDescriptor descriptor) {
        return descriptor
                .option(Option.of(
                                "MDB_WRITEMAP",
                                Value.in("on", spec -> spec.on(Setting.WRITE_MAP, true)),
                                "writes go straight into the map",
                                API + "ga32a193c6bf4d7d5c5d579e71f22e9340")
                        .sets(Settings.class, (to, on) -> to.flag(WRITEMAP, on))
                        .reads(Settings.class, told -> told.has(WRITEMAP)))
                .option(Option.of(
                                "MDB_NOSYNC",
                                Value.in("on", spec -> spec.sync() != Sync.ON),
                                "durability is off in this test",
                                API + "ga32a193c6bf4d7d5c5d579e71f22e9340")
                        .sets(Settings.class, (to, on) -> to.flag(NOSYNC, on))
                        .reads(Settings.class, told -> told.has(NOSYNC)))
                .option(Option.of(
                                "MDB_NORDAHEAD",
                                Value.in(
                                        "on for random order where twice the data exceed the"
                                                + " memory outside the heap",
                                        spec -> !readsAhead(spec)),
                                "a page that is read would bring in its neighbours and drive out"
                                    + " others; pages may be half empty; in order the neighbours"
                                    + " come next",
                                API + "ga32a193c6bf4d7d5c5d579e71f22e9340")
                        .sets(Settings.class, (to, on) -> to.flag(NORDAHEAD, on))
                        .reads(Settings.class, told -> told.has(NORDAHEAD)))
                .option(Option.of(
                                "MDB_INTEGERKEY",
                                Value.in("on for int keys", CaseSpec::intKeys),
                                "keys are native integers",
                                API + "gac08cad5b096925642ca359a6d6f0562a")
                        .sets(Settings.class, (to, on) -> to.integerKeys = on)
                        .reads(Settings.class, told -> told.integerKeys))
                .usage(
                        "MDB_APPEND",
                        "on for the bulk load",
                        "fills pages in order",
                        API + "ga1f83ccb40011837ff37cc32be01ad91e")
                .option(Option.of(
                                "mapsize",
                                Value.in("10 x data + 64 MiB", Lmdb::mapBytes),
                                "a limit, not an allocation",
                                API + "gaa2506ec8dab3d969b0e609cd82e619e5")
                        .sets(Settings.class, (to, bytes) -> to.mapBytes = bytes)
                        .reads(Settings.class, told -> told.mapBytes))
                .usage(
                        "transaction",
                        "one for the whole load",
                        "the usual bulk load",
                        API + "gad7ea55da06b77513609efebd44b26920")
                .usage(
                        "mdb_get",
                        "for gets; MDB_SET_KEY of a cursor where calls=cursor",
                        "one call for all bindings",
                        API + "ga8bf10cd91d3f3a83a34d04ce6b07992d")
                .usage(
                        "mdb_env_copy",
                        "for backups",
                        "a consistent copy beside readers and writers",
                        API + "ga5d51d6130325f7353db0955dbedbc378")
                .setting(
                        Setting.SYNC,
                        "on: without MDB_NOSYNC; os: as off, since the map is the system's")
                .setting(Setting.META_SYNC, "off: with MDB_NOMETASYNC")
                .setting(Setting.WRITE_MAP, "off: without MDB_WRITEMAP")
                .setting(Setting.BATCH, "entries in a transaction")
                .setting(
                        Setting.CALLS,
                        "cursor: MDB_SET_KEY, which looks on the cursor's page first; get: mdb_get,"
                                + " as without it")
                .fixed(Setting.MEMORY, "4", "its only cache is the system's")
                .fixed(Setting.COMPRESSION, "default", "does not compress")
                .setting(
                        Setting.THREADS,
                        "each thread's share is one transaction; there is one writer at a time, so"
                                + " threads queue");
    }

    /** What an environment is opened with, or tells of itself, in the terms of lmdb.h. */
    public static final class Settings {

        public Integer flags; // null where a binding does not tell them
        public Boolean integerKeys; // the same
        public long mapBytes;

        private void flag(int flag, boolean on) {
            flags = (flags == null ? 0 : flags) | (on ? flag : 0);
        }

        private Boolean has(int flag) {
            return flags == null ? null : (flags & flag) != 0;
        }
    }

    /** What a case opens an environment with. */
    public static Settings settings(StoreDescriptor described, CaseSpec spec) {
        Settings settings = described.set(new Settings(), spec);
        settings.flag(NOMETASYNC, !spec.on(Setting.META_SYNC, true));
        return settings;
    }

    /**
     * Whether the neighbours of a page are worth reading with it: they come next, or memory holds
     * all, though random inserts leave pages half empty at worst.
     */
    private static boolean readsAhead(CaseSpec spec) {
        return spec.order() == Order.SEQUENTIAL || MemoryHeadroom.holds(2 * spec.flatBytes());
    }

    /** Whether gets move a cursor to the key; otherwise they are mdb_get's. */
    public static boolean getsByCursor(CaseSpec spec) {
        return spec.calls(CALLS, GET).equals(CURSOR);
    }

    /** Entries in a transaction: all of them, unless the case says otherwise. */
    public static int batch(CaseSpec spec) {
        return spec.count(Setting.BATCH, spec.entries());
    }

    /**
     * Bytes that the map may grow to: pages of random inserts are half empty at worst, each has its
     * overhead, and a transaction that overwrites all copies all, while what it replaces is kept
     * until the one after the next.
     */
    private static long mapBytes(CaseSpec spec) {
        return 10 * spec.flatBytes() + (64L << 20);
    }
}
