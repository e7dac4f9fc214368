package families;

//SOURCES Lmdb.java
//DEPS org.lmdbjava:lmdbjava:0.9.3
//DEPS org.agrona:agrona:2.6.0

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;
import kv.store.Value;
import org.lmdbjava.BufferProxy;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.Meta;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/**
 * LmdbJava with any of its buffer types: one write transaction through a cursor, which appends in a
 * bulk load; reads through one read transaction whose buffers point into the memory map.
 *
 * @param <T> buffer type
 */
public abstract class LmdbJava<T> implements Store {

    static {
        System.setProperty(Env.DISABLE_CHECKS_PROP, "true"); // read once, when Env is initialised
    }

    /** What every buffer type has in common; the subclass names itself. */
    protected static StoreDescriptor describe(
            Class<? extends Store> script, String name, String colour, String buffers) {
        return Lmdb.options(StoreDescriptor.of(
                        script,
                        name,
                        StoreDescriptor.B_PLUS_TREE,
                        colour,
                        "org.lmdbjava:lmdbjava",
                        "LMDB through LmdbJava with " + buffers))
                .option(Option.of(
                                "lmdbjava.disable.checks",
                                Value.of("true", false),
                                "as its authors benchmark it",
                                "https://www.javadoc.io/doc/org.lmdbjava/lmdbjava/latest/"
                                        + "org/lmdbjava/Env.html"
                                        + "#DISABLE_CHECKS_PROP")
                        .reads(Env.class, env -> Env.SHOULD_CHECK));
    }

    protected abstract BufferProxy<T> proxy();

    /** Points a buffer at memory that holds a key or value to be read by LMDB. */
    protected abstract Pair<T> pair();

    protected abstract void accept(Sink sink, T key, T value);

    /** A key and a value buffer to hand to LMDB. */
    protected interface Pair<T> {
        T key(Entry entry);

        T value(Entry entry);
    }

    @Override
    public final ByteOrder intKeyOrder() {
        return ByteOrder.nativeOrder();
    }

    @Override
    public final String engine() {
        Meta.Version version = Meta.version();
        return "LMDB " + version.major + "." + version.minor + "." + version.patch;
    }

    @Override
    public final Db open(Path directory, CaseSpec spec) {
        Lmdb.Settings settings = Lmdb.settings(describe(), spec);
        Env<T> env = Env.create(proxy())
                .setMapSize(settings.mapBytes)
                .setMaxDbs(1)
                .open(directory.toFile(), flags(settings.flags));
        Dbi<T> dbi = settings.integerKeys
                ? env.openDbi("db", DbiFlags.MDB_CREATE, DbiFlags.MDB_INTEGERKEY)
                : env.openDbi("db", DbiFlags.MDB_CREATE);
        return new Db() {
            @Override
            public Writer writer() {
                return new Load(env, dbi, Lmdb.batch(spec));
            }

            @Override
            public Writer loader() {
                return new Load(env, dbi, Lmdb.batch(spec), PutFlags.MDB_APPEND);
            }

            @Override
            public Reader reader() {
                return new Snapshot(env.txnRead(), dbi, Lmdb.getsByCursor(spec));
            }

            @Override
            public void compact() {
                throw new Unavailable(Lmdb.NO_COMPACTION);
            }

            @Override
            public void backup(Path copy) {
                env.copy(copy.toFile());
            }

            @Override
            public List<Object> configured() {
                var told = new Lmdb.Settings();
                told.mapBytes = env.info().mapSize;
                try (Txn<T> txn = env.txnRead()) {
                    told.integerKeys = dbi.listFlags(txn).contains(DbiFlags.MDB_INTEGERKEY);
                }
                return List.of(told, env);
            }

            @Override
            public void close() {
                env.close();
            }
        };
    }

    private static EnvFlags[] flags(int mask) {
        return Stream.of(EnvFlags.values())
                .filter(flag -> (mask & flag.getMask()) != 0)
                .toArray(EnvFlags[]::new);
    }

    private final class Load implements Writer {

        private final Env<T> env;
        private final Dbi<T> dbi;
        private final PutFlags[] flags;
        private final int batch;
        private final Pair<T> pair = pair();
        private Txn<T> txn;
        private Cursor<T> cursor;
        private int left;

        Load(Env<T> env, Dbi<T> dbi, int batch, PutFlags... flags) {
            this.env = env;
            this.dbi = dbi;
            this.flags = flags;
            this.batch = batch;
            begin();
        }

        private void begin() {
            txn = env.txnWrite();
            cursor = dbi.openCursor(txn);
            left = batch;
        }

        @Override
        public void put(Entry entry) {
            if (left-- == 0) {
                close();
                begin();
                left--;
            }
            cursor.put(pair.key(entry), pair.value(entry), flags);
        }

        @Override
        public void delete(Entry entry) {
            if (left-- == 0) {
                commit();
                left--;
            }
            dbi.delete(txn, pair.key(entry));
        }

        @Override
        public void commit() {
            close();
            begin();
        }

        @Override
        public void close() {
            cursor.close();
            txn.commit();
            txn.close();
        }
    }

    private final class Snapshot implements Reader {

        private final Txn<T> txn;
        private final Dbi<T> dbi;
        private final Cursor<T> cursor;
        private final boolean byCursor;
        private final Pair<T> pair = pair();

        Snapshot(Txn<T> txn, Dbi<T> dbi, boolean byCursor) {
            this.txn = txn;
            this.dbi = dbi;
            this.byCursor = byCursor;
            this.cursor = dbi.openCursor(txn);
        }

        @Override
        public void get(Entry entry, Sink sink) {
            T key = pair.key(entry);
            if (byCursor) {
                if (cursor.get(key, GetOp.MDB_SET_KEY)) {
                    accept(sink, cursor.key(), cursor.val());
                }
                return;
            }
            T value = dbi.get(txn, key);
            if (value != null) {
                accept(sink, key, value);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            if (direction == Direction.FORWARDS) {
                boolean found = from == null
                        ? cursor.first()
                        : cursor.get(pair.key(from), GetOp.MDB_SET_RANGE);
                for (int left = limit; found && left > 0; found = --left > 0 && cursor.next()) {
                    accept(sink, cursor.key(), cursor.val());
                }
            } else {
                boolean found = from == null ? cursor.last() : floor(from);
                for (int left = limit; found && left > 0; found = --left > 0 && cursor.prev()) {
                    accept(sink, cursor.key(), cursor.val());
                }
            }
        }

        /** Goes to the greatest key up to the entry's; false when there is none. */
        private boolean floor(Entry from) {
            if (cursor.get(pair.key(from), GetOp.MDB_SET_KEY)) {
                return true;
            }
            boolean greater = cursor.get(pair.key(from), GetOp.MDB_SET_RANGE);
            return greater ? cursor.prev() : cursor.last();
        }

        @Override
        public void close() {
            cursor.close();
            txn.close();
        }
    }
}
