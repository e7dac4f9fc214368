package stores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kv.bench.Program;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Store;
import kv.store.Unavailable;

/**
 * Does with a store what it can beyond put, get and whole scans, and the same with a sorted map.
 * Entries of every fifth rank are not written, among them the first and the last: their keys are
 * those that are absent.
 */
final class Capabilities {

    private static final int ENTRIES = 301;
    private static final int VALUE_BYTES = 100;
    private static final IntPredicate WRITTEN = rank -> rank % 5 != 0;
    private static final IntPredicate DELETED = rank -> rank % 3 == 0;
    private static final int ABSENT = 150; // between two that are there
    private static final int[] FROM = {0, 1, ABSENT, ABSENT + 1, ENTRIES - 2, ENTRIES - 1};
    private static final int[] LIMITS = {0, 1, 10, 2 * ENTRIES, Store.Reader.ALL};
    private static final int[] WANTED = {151, 0, 12, ABSENT, 4, 151, ENTRIES - 1, ENTRIES - 2};
    // Its one connection is the writer's until that is closed
    private static final List<String> NO_READER_BESIDE_A_WRITER = List.of("Sqlite");
    private static final int LOCKED_OUT_SECONDS = 20;

    /** In the order in which they are tried. */
    private static final Map<String, Test> TESTS = new LinkedHashMap<>();

    static {
        TESTS.put("delete", Capabilities::delete);
        TESTS.put("commit", Capabilities::commit);
        TESTS.put("multiGet", Capabilities::multiGet);
        TESTS.put("ascend", Capabilities::ascend);
        TESTS.put("descend", Capabilities::descend);
        TESTS.put("compact", Capabilities::compact);
        TESTS.put("backup", Capabilities::backup);
        TESTS.put("options", Capabilities::options);
    }

    private interface Test {
        void run(Capabilities on) throws Exception;
    }

    private final Store store;
    private final CaseSpec spec;
    private final Path folder;
    private final Data data;
    // By keys in hexadecimal digits, which sort as the bytes do, unsigned
    private final NavigableMap<String, String> map = new TreeMap<>();
    private Store.Db db;

    private Capabilities(Store store, Data data, Path folder) throws Exception {
        this.store = store;
        this.spec = data.spec;
        this.folder = folder;
        this.data = data;
        this.db = open("db");
    }

    /** For each capability "ok", "n/a: reason" or "failed: what". */
    static Map<String, String> outcomes(Store store, Path directory) throws IOException {
        Map<String, String> outcomes = new LinkedHashMap<>();
        for (KeyKind keys : KeyKind.values()) {
            var spec = new CaseSpec(keys, Order.RANDOM, ENTRIES, VALUE_BYTES);
            var data = new Data(spec, store.intKeyOrder()); // made once: it costs most of a test
            for (var test : TESTS.entrySet()) {
                String name = test.getKey();
                if (outcomes.getOrDefault(name, "ok").equals("ok")) {
                    outcomes.put(name, outcome(test.getValue(), store, data, directory));
                }
            }
        }
        return outcomes;
    }

    private static String outcome(Test test, Store store, Data data, Path directory)
            throws IOException {
        Path folder = Files.createTempDirectory(Files.createDirectories(directory), "capability");
        try {
            var on = new Capabilities(store, data, folder);
            try {
                if (on.db instanceof Program) {
                    throw new Unavailable("its passes run in a program of its own");
                }
                test.run(on);
            } finally {
                on.db.close();
            }
            return "ok";
        } catch (Unavailable without) {
            return "n/a: " + without.getMessage();
        } catch (Exception | Error e) {
            return "failed: " + data.spec.keys() + " keys: " + e;
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    // --- the capabilities ---

    private void delete() throws Exception {
        load();
        try (Store.Writer writer = db.writer()) {
            deleteThird(writer);
            delete(writer, ABSENT);
            put(writer, ABSENT);
            delete(writer, ABSENT); // what this writer has put
            delete(writer, 1);
            put(writer, 1); // what it has deleted
        }
        same("deleted");
        reopen();
        same("deleted, opened again");
    }

    private void commit() throws Exception {
        int[] ranks = written();
        int[] first = Arrays.copyOf(ranks, ranks.length / 2);
        try (Store.Writer writer = db.writer()) {
            put(writer, first);
            writer.commit();
            List<String> committed = expected(first);
            put(writer, Arrays.copyOfRange(ranks, first.length, ranks.length));
            if (!NO_READER_BESIDE_A_WRITER.contains(store.describe().id())) {
                equal("beside the writer", committed, gotInAThread(first));
            }
            writer.commit();
            writer.commit();
        }
        same("committed");
        reopen();
        same("committed, opened again");
    }

    private void multiGet() throws Exception {
        load();
        try (Store.Reader reader = db.reader()) {
            for (int[] ranks : List.of(WANTED, WANTED, ranks(rank -> true))) {
                var found = new Collected(store, spec);
                int[] positions = Arrays.stream(ranks).map(data::positionOfRank).toArray();
                reader.multiGet(data.entries(positions), found);
                equal("of " + ranks.length, expected(ranks), found.lines);
            }
        }
    }

    private void ascend() throws Exception {
        scan(Direction.FORWARDS, map);
    }

    private void descend() throws Exception {
        scan(Direction.BACKWARDS, map.descendingMap());
    }

    /** From keys that are there and from others, and from none, within limits and without. */
    private void scan(Direction direction, NavigableMap<String, String> sorted) throws Exception {
        load();
        try (Store.Reader reader = db.reader()) {
            for (int rank : FROM) {
                List<String> rest = lines(sorted.tailMap(key(rank), true));
                for (int limit : LIMITS) {
                    equalScan(reader, at(rank), limit, direction, rest);
                }
            }
            for (int limit : LIMITS) {
                equalScan(reader, null, limit, direction, lines(sorted));
            }
        }
    }

    private void equalScan(
            Store.Reader reader,
            kv.store.Entry from,
            int limit,
            Direction direction,
            List<String> rest)
            throws Exception {
        var found = new Collected(store, spec);
        reader.scan(from, limit, direction, found);
        equal(
                limit + (from == null ? " of all" : " from rank " + from.rank()),
                rest.subList(0, Math.min(limit, rest.size())),
                found.lines);
    }

    private void compact() throws Exception {
        load();
        overwrite();
        try (Store.Writer writer = db.writer()) {
            deleteThird(writer);
        } catch (Unavailable cannotDelete) {
            // What is overwritten leaves space to give back too
        }
        db.compact();
        same("compacted");
        reopen();
        same("compacted, opened again");
        try (Store.Writer writer = db.writer()) {
            put(writer, ABSENT);
        }
        same("compacted, written again");
    }

    private void backup() throws Exception {
        load();
        overwrite();
        Path directory = Files.createDirectory(folder.resolve("copy"));
        db.backup(directory);
        Store.Db original = db;
        db = open("copy");
        try {
            same("the copy");
        } finally {
            db.close();
            db = original;
        }
        try (Store.Writer writer = db.writer()) {
            put(writer, ABSENT);
        }
        same("the original");
    }

    /** What is printed of the options is in force, and as the vendor ships it nothing is set. */
    private void options() throws Exception {
        List<String> wrong = new ArrayList<>();
        boolean told = false;
        for (CaseSpec each : cases()) {
            if (store.describe().unsupportedReason(each) == null) {
                Path directory = Files.createTempDirectory(folder, "options");
                try (Store.Db opened = store.open(directory, each)) {
                    try (Store.Writer writer = opened.writer()) {
                        writer.put(at(1));
                    }
                    told |= !opened.configured().isEmpty();
                    wrong.addAll(store.describe().differences(opened.configured(), each));
                }
            }
        }
        if (!wrong.isEmpty()) {
            throw new IllegalStateException(String.join("; ", wrong));
        }
        if (!told) {
            throw new Unavailable("tells none of its options");
        }
    }

    private List<CaseSpec> cases() {
        return List.of(
                spec,
                spec.with(Setting.SYNC, "on"),
                spec.with(Setting.SYNC, "os"),
                spec.with(Setting.MEMORY, "4"),
                spec.with(Setting.COMPRESSION, "on"),
                spec.with(Setting.THREADS, 3),
                spec.with(Setting.WRITE_MAP, "off"),
                spec.with(Setting.DEFAULTS, "on"),
                spec.with(Setting.DEFAULTS, "on").with(Setting.SYNC, "on"));
    }

    // --- the store and the map, side by side ---

    private Store.Db open(String name) throws Exception {
        return store.open(Files.createDirectories(folder.resolve(name)), spec);
    }

    private void reopen() throws Exception {
        db.close();
        db = open("db");
    }

    private void load() throws Exception {
        try (Store.Writer writer = db.writer()) {
            put(writer, written());
        }
    }

    /** Writes the next generation of the values. */
    private void overwrite() throws Exception {
        data.renew();
        load();
    }

    private void put(Store.Writer writer, int... ranks) throws Exception {
        for (int rank : ranks) {
            writer.put(at(rank));
            map.put(key(rank), HexFormat.of().formatHex(at(rank).newValue()));
        }
    }

    private void deleteThird(Store.Writer writer) throws Exception {
        for (int rank : ranks(WRITTEN.and(DELETED))) {
            delete(writer, rank);
        }
    }

    private void delete(Store.Writer writer, int rank) throws Exception {
        writer.delete(at(rank));
        map.remove(key(rank));
    }

    /** A flyweight of its own, as a store may ask one for keys in one form only. */
    private EntryFlyweight at(int rank) {
        return data.entry().at(data.positionOfRank(rank));
    }

    private String key(int rank) {
        return Collected.key(at(rank).newKey(), store, spec);
    }

    private int[] written() {
        return ranks(WRITTEN);
    }

    /** Those ranks, in the order of writing. */
    private int[] ranks(IntPredicate which) {
        return IntStream.range(0, ENTRIES)
                .map(position -> data.entry().at(position).rank())
                .filter(which)
                .toArray();
    }

    /** Holds gets and whole scans of the database to the map. */
    private void same(String when) throws Exception {
        int[] all = ranks(rank -> true);
        equal(when + ", by key", expected(all), got(all));
        try (Store.Reader reader = db.reader()) {
            if (store.describe().unsupportedReason(Capability.SCAN) == null) {
                var found = new Collected(store, spec);
                reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, found);
                equal(when + ", ascending", lines(map), found.lines);
            }
            if (store.describe().unsupportedReason(Capability.SCAN_BACKWARDS) == null) {
                var found = new Collected(store, spec);
                reader.scan(null, Store.Reader.ALL, Direction.BACKWARDS, found);
                equal(when + ", descending", lines(map.descendingMap()), found.lines);
            }
        }
    }

    private List<String> got(int... ranks) throws Exception {
        var found = new Collected(store, spec);
        try (Store.Reader reader = db.reader()) {
            for (int rank : ranks) {
                reader.get(at(rank), found);
            }
            reader.flush(found);
        }
        return found.lines;
    }

    /** In a thread of its own, as some stores tie a thread to a transaction. */
    private List<String> gotInAThread(int... ranks) throws Exception {
        var gets = new FutureTask<>(() -> got(ranks));
        Thread thread = new Thread(gets);
        thread.setDaemon(true);
        thread.start();
        return gets.get(LOCKED_OUT_SECONDS, TimeUnit.SECONDS);
    }

    /** What the map has of these. */
    private List<String> expected(int... ranks) {
        return Arrays.stream(ranks)
                .mapToObj(this::key)
                .filter(map::containsKey)
                .map(key -> Collected.line(key, map.get(key)))
                .toList();
    }

    private static List<String> lines(Map<String, String> entries) {
        return entries.entrySet().stream()
                .map(each -> Collected.line(each.getKey(), each.getValue()))
                .toList();
    }

    private static void equal(String when, List<String> expected, List<String> found) {
        if (!found.equals(expected)) {
            int same = 0;
            while (same < Math.min(found.size(), expected.size())
                    && found.get(same).equals(expected.get(same))) {
                same++;
            }
            throw new IllegalStateException(
                    "%s: %d entries instead of %d, of which the first %d are right"
                            .formatted(when, found.size(), expected.size(), same));
        }
    }
}
