package kv.crash;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kv.data.EntryFlyweight;
import kv.store.Capability;
import kv.store.Direction;
import kv.store.Store;

/**
 * Opens what a crash has left, looks every entry up and scans all, writes to it again, and says
 * which transactions of a ledger are there.
 */
public final class Examination {

    private final Store store;
    private final Recovery recovery;
    private final Ledger ledger;
    private final Map<ByteBuffer, Integer> positions = new HashMap<>(); // by key
    private final Capture capture = new Capture();
    private int[] found; // generation by position
    private String stage;
    private double openSeconds;
    private int wrong;
    private String example;

    /**
     * What it needs.
     *
     * @param recovery called for each database before it is opened; null for none
     */
    public Examination(Store store, Recovery recovery, Ledger ledger) {
        this.store = store;
        this.recovery = recovery;
        this.ledger = ledger;
        for (int position = 0; position < ledger.positions(); position++) {
            positions.put(ledger.key(position), position);
        }
    }

    /**
     * Examines one database.
     *
     * @param acknowledged number of the last transaction of which the store said that it is
     *     committed
     */
    public Found of(Path directory, int acknowledged) {
        found = new int[ledger.positions()];
        Arrays.fill(found, Ledger.ABSENT);
        wrong = 0;
        example = null;
        openSeconds = 0;
        String reason = null;
        try {
            examine(directory);
            stage = null;
        } catch (Exception | LinkageError | InternalError e) { // the latter from a mapped file
            reason = e.toString();
        }
        return judged(acknowledged, reason);
    }

    private void examine(Path directory) throws Exception {
        long begun = System.nanoTime();
        if (recovery != null) {
            stage = "recover";
            recovery.recover(directory, ledger.spec);
        }
        stage = "open";
        Store.Db db = store.open(directory, ledger.spec);
        try {
            openSeconds = (System.nanoTime() - begun) / 1e9;
            stage = "read";
            try (Store.Reader reader = db.reader()) {
                get(reader);
                if (store.describe().unsupportedReason(Capability.SCAN) == null) {
                    scan(reader);
                }
            }
            stage = "write";
            Store.Writer writer = db.writer();
            for (Ledger.Write write : ledger.transaction(1)) {
                writer.put(ledger.entry(write.position(), Ledger.AFTERWARDS));
            }
            Commits.committed(db, writer).close();
        } finally {
            db.close();
        }
        try (Store.Db again = store.open(directory, ledger.spec);
                Store.Reader reader = again.reader()) {
            for (Ledger.Write write : ledger.transaction(1)) {
                if (got(reader, write.position()) != Ledger.AFTERWARDS) {
                    throw new IllegalStateException(
                            "what was written after the crash is not there");
                }
            }
        }
    }

    private void get(Store.Reader reader) throws Exception {
        for (int position = 0; position < found.length; position++) {
            found[position] = got(reader, position);
        }
    }

    /** The generation that a get finds. */
    private int got(Store.Reader reader, int position) throws Exception {
        EntryFlyweight entry = ledger.due(position, 0);
        reader.get(ledger.entry(position, 0), capture);
        reader.flush(capture);
        List<Capture.Pair> pairs = capture.taken();
        if (pairs.isEmpty()) {
            return Ledger.ABSENT;
        }
        if (pairs.size() > 1) {
            isWrong("a get gave " + pairs.size() + " entries for " + entry);
        }
        Capture.Pair pair = pairs.get(0);
        if (!entry.sameKey(ByteBuffer.wrap(pair.key()))) {
            isWrong("a get gave another key than that of " + entry);
        }
        return generation(position, pair.value());
    }

    private void scan(Store.Reader reader) throws Exception {
        reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, capture);
        int[] scanned = new int[found.length];
        Arrays.fill(scanned, Ledger.ABSENT);
        for (Capture.Pair pair : capture.taken()) {
            Integer position = positions.get(ByteBuffer.wrap(pair.key()));
            if (position == null) {
                isWrong("a scan gave a key that was never written");
            } else if (scanned[position] != Ledger.ABSENT) {
                isWrong("a scan gave twice " + ledger.due(position, 0));
            } else {
                scanned[position] = generation(position, pair.value());
            }
        }
        for (int position = 0; position < found.length; position++) {
            if (scanned[position] != found[position]) {
                isWrong("a scan and a get differ in " + ledger.due(position, 0));
            }
        }
    }

    /** Which of an entry's values it is; the first, and a wrong entry noted, where it is none. */
    private int generation(int position, byte[] value) {
        ByteBuffer buffer = ByteBuffer.wrap(value);
        for (int generation = 0; generation <= Ledger.AFTERWARDS; generation++) {
            if (ledger.due(position, generation).sameValue(buffer)) {
                return generation;
            }
        }
        isWrong("a value that was never written, of " + ledger.due(position, 0));
        return 0;
    }

    private void isWrong(String what) {
        wrong++;
        example = example == null ? what : example;
    }

    private Found judged(int acknowledged, String reason) {
        int last = 0;
        int[] missing = new int[ledger.transactions() + 1];
        int[] there = new int[ledger.transactions() + 1];
        for (int number = 1; number <= ledger.transactions(); number++) {
            for (Ledger.Write write : ledger.transaction(number)) {
                int left = found[write.position()];
                missing[number] += left < write.generation() ? 1 : 0;
                there[number] += left == write.generation() ? 1 : 0;
            }
            last = there[number] > 0 ? number : last;
        }
        int lost = 0;
        int holes = 0;
        int torn = 0;
        for (int number = 1; number <= ledger.transactions(); number++) {
            lost += number <= acknowledged && missing[number] > 0 ? 1 : 0;
            holes += number < last && missing[number] > 0 && there[number] == 0 ? 1 : 0;
            torn += missing[number] > 0 && there[number] > 0 ? 1 : 0;
        }
        return new Found(stage, reason, last, lost, holes, torn, wrong, example, openSeconds);
    }
}
