///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java

package stores;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;
import kv.trial.Profile;
import kv.trial.Section;
import kv.trial.Trial;
import kv.trial.TrialRun;

/**
 * A sorted map in memory that breaks one promise of the contract, which {@link Lie} says. Its
 * {@code main} takes each lie through a trial of every mode of measuring, in one JVM.
 */
public final class Liar implements Store {

    /** Which promise is broken. */
    enum Lie {
        /** None: this is what the others are held against. */
        NONE,
        /** One value has a wrong bit. */
        WRONG_BYTE,
        /** One value comes back under its neighbour's key. */
        WRONG_KEY,
        /** Scans leave out the last entry. */
        LAST_MISSING,
        /** Scans give an entry twice. */
        TWICE,
        /** Scans give an entry twice, and leave out the next: their number is right. */
        INSTEAD,
        /** The descending scan ascends. */
        FORWARD,
        /** An overwritten entry keeps its old value. */
        LOST_OVERWRITE,
        /** Opened again, an overwritten entry has its old value. */
        STALE,
        /** Opened again, an entry is missing. */
        FORGETS,
        /** Opened again, the first that is got has another's value. */
        STARTS_WRONG,
        /** A get finds an entry for every key. */
        FINDS_ALL,
        /** A reader gives what another one was asked for last, while there are several. */
        ANOTHERS
    }

    private static final byte[] ONE = {0, 0, 0, 42}; // the entry that most lies are about
    private static final byte[] NEXT = {0, 0, 0, 43};

    private final Lie lie;
    private NavigableMap<byte[], byte[]> map;
    private NavigableMap<byte[], byte[]> first; // the values that were put first
    private boolean opened; // and nothing has been got since
    private int readers;
    private volatile Reads lastAsked;

    Liar(Lie lie) {
        this.lie = lie;
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                        Liar.class,
                        "Liar",
                        StoreDescriptor.B_PLUS_TREE,
                        "#ff0005",
                        "",
                        "a sorted map that breaks a promise")
                .setting(Setting.THREADS, "queue for the map")
                .setting(Setting.WRITES, "queue for the map");
    }

    @Override
    public String engine() {
        return "none";
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        Path file = directory.resolve("map");
        opened = Files.exists(file);
        if (!opened) {
            Files.createFile(file);
            readers = 0; // those of a pass that failed are not closed
            lastAsked = null;
            map = new TreeMap<>(Arrays::compareUnsigned);
            first = new TreeMap<>(Arrays::compareUnsigned);
        } else if (lie == Lie.STALE) {
            map.putAll(first);
        } else if (lie == Lie.FORGETS) {
            map.remove(ONE);
        }
        return new Db() {
            @Override
            public Writer writer() {
                return new Writes();
            }

            @Override
            public Reader reader() {
                synchronized (Liar.this) {
                    readers++;
                }
                return new Reads();
            }

            @Override
            public void close() {
                // The map is the store's.
            }
        };
    }

    private final class Writes implements Writer {

        @Override
        public void put(Entry entry) {
            synchronized (Liar.this) {
                byte[] key = entry.newKey();
                byte[] value = entry.newValue();
                if (lie == Lie.WRONG_BYTE && Arrays.equals(key, ONE)) {
                    value[value.length - 1] ^= 1;
                }
                first.putIfAbsent(key, value);
                if (lie == Lie.LOST_OVERWRITE) {
                    map.putIfAbsent(key, value);
                } else {
                    map.put(key, value);
                }
            }
        }

        @Override
        public void close() {
            // It is visible at once.
        }
    }

    private final class Reads implements Reader {

        private volatile byte[] asked;

        @Override
        public void get(Entry entry, Sink sink) {
            synchronized (Liar.this) {
                asked = entry.newKey();
                Reads other = lastAsked;
                lastAsked = this;
                byte[] key = lie == Lie.ANOTHERS && readers > 1 && other != null && other != this
                        ? other.asked
                        : asked;
                byte[] value = map.get(key);
                if (lie == Lie.STARTS_WRONG && opened) {
                    value = map.lastEntry().getValue();
                } else if (lie == Lie.FINDS_ALL && value == null) {
                    value = map.firstEntry().getValue();
                }
                opened = false;
                if (value != null) {
                    accept(key, value, sink);
                }
            }
        }

        private void accept(byte[] key, byte[] value, Sink sink) {
            boolean wrong = lie == Lie.WRONG_KEY && Arrays.equals(key, ONE);
            sink.accept(wrong ? NEXT : key, value);
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            if (from != null || limit != ALL) {
                throw new Unavailable("scans all of it or nothing");
            }
            synchronized (Liar.this) {
                scan(
                        direction == Direction.FORWARDS || lie == Lie.FORWARD
                                ? map
                                : map.descendingMap(),
                        sink);
            }
        }

        private void scan(NavigableMap<byte[], byte[]> entries, Sink sink) {
            byte[] last = entries.lastKey();
            for (Map.Entry<byte[], byte[]> each : entries.entrySet()) {
                byte[] key = each.getKey();
                boolean again = Arrays.equals(key, ONE) && (lie == Lie.TWICE || lie == Lie.INSTEAD);
                boolean out = lie == Lie.LAST_MISSING && key == last
                        || lie == Lie.INSTEAD && key == entries.higherKey(ONE);
                for (int times = out ? 0 : again ? 2 : 1; times > 0; times--) {
                    accept(key, each.getValue(), sink);
                }
            }
        }

        @Override
        public void close() {
            synchronized (Liar.this) {
                readers--;
            }
        }
    }

    /** The modes of measuring, each a case of its own, as one failure of a case fails all of it. */
    private static Section modes() {
        CaseSpec spec = new CaseSpec(KeyKind.INT, Order.DENSE, 500, 20);
        return Section.of("liar")
                .cases(
                        List.of("write", "readKey", "readSeq", "readRev", "readCrc", "readXxh64"),
                        spec)
                .cases(List.of("readKey", "readSeq", "readRev"), threads(3))
                .cases(List.of("readKey"), threads(2).with(Setting.WRITES, 1_000))
                .cases(List.of("readLukewarm", "readCold"), spec)
                .cases(List.of("overwrite", "readKeyAged", "readSeqAged"), spec)
                .cases(List.of("putService", "putResponse", "getService", "getResponse"), spec);
    }

    private static CaseSpec threads(int threads) {
        return new CaseSpec(KeyKind.INT, Order.DENSE, 500, 20).with(Setting.THREADS, threads);
    }

    /** Prints the trial record of each lie. Argument: the directory to work in. */
    public static void main(String... arguments) throws Exception {
        Map<Lie, Trial> records = new LinkedHashMap<>();
        for (Lie lie : Lie.values()) {
            var context = new TrialRun.Context(
                    1,
                    0,
                    Trial.Mode.ISOLATED,
                    Profile.SMOKE,
                    CaseSpec.SEED,
                    Path.of(arguments[0]),
                    System.err::println);
            records.put(
                    lie, TrialRun.measure(modes(), new Liar(lie), context, null, partial -> {}));
        }
        System.out.println(Trial.GSON.toJson(records));
    }
}
