package recorder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Notes what a program does with its key-value store, and writes it as a question that
 * {@code kvreport measure} answers. One file that needs nothing but Java 17: copy it into the
 * program, and call it beside the store.
 *
 * <pre>{@code
 * var recorder = new Recorder();
 * recorder.get(key);                  // a look-up
 * recorder.put(key, value.length);    // an entry that is overwritten
 * recorder.insert(key, value.length); // a new one
 * recorder.range(from, 50);           // 50 entries from a key on
 * recorder.write(Path.of("mine.toml"));
 * }</pre>
 *
 * <p>It keeps no key and no value: of keys, hashes of a sample, to tell how many there are and how
 * uneven they are asked for; of values, how long they are. Any number of threads may call it. What
 * was loaded before it began is not among the entries that it has seen: correct the number.
 */
public final class Recorder {

    private static final String[] OPERATIONS = {"get", "put", "insert", "range"};
    private static final int GET = 0;
    private static final int PUT = 1;
    private static final int INSERT = 2;
    private static final int RANGE = 3;
    private static final int MOST_KEYS = 100_000; // of the sample
    private static final int INT_BYTES = 4;
    private static final int LEAST_KEYS = 100; // of a question, and its most threads
    private static final int MOST_THREADS = 64;
    /**
     * Keys that are asked for alike often scatter as counts of chance do, whose variance is their
     * mean; of a zipfian distribution it is many times that.
     */
    private static final double UNEVEN = 3;

    private final LongAdder[] operations = new LongAdder[OPERATIONS.length];
    private final LongAdder rangeEntries = new LongAdder();
    private final LongAdder valueBytes = new LongAdder();
    private final LongAdder values = new LongAdder();
    private final AtomicLongArray sizes = new AtomicLongArray(Long.SIZE); // by power of two
    private final Set<Long> threads = ConcurrentHashMap.newKeySet();
    private final Map<Long, Long> asked = new HashMap<>(); // how often, by the key's hash
    private volatile long mask; // of hashes: the sample has those without these bits
    private volatile int longestKey;

    public Recorder() {
        Arrays.setAll(operations, operation -> new LongAdder());
    }

    /** A look-up of a key. */
    public void get(byte[] key) {
        note(GET, key);
    }

    /** A key that is there, and gets a value of so many bytes. */
    public void put(byte[] key, int bytes) {
        note(PUT, key);
        noteValue(bytes);
    }

    /** A key that was not there, with a value of so many bytes. */
    public void insert(byte[] key, int bytes) {
        note(INSERT, key);
        noteValue(bytes);
    }

    /** So many entries that are read in order, from a key on. */
    public void range(byte[] from, int entries) {
        note(RANGE, from);
        rangeEntries.add(entries);
    }

    private void note(int operation, byte[] key) {
        operations[operation].increment();
        threads.add(Thread.currentThread().getId());
        if (key.length > longestKey) {
            longestKey = key.length;
        }
        long hash = hash(key);
        if ((hash & mask) == 0) {
            count(hash);
        }
    }

    private void noteValue(int bytes) {
        values.increment();
        valueBytes.add(bytes);
        sizes.incrementAndGet(Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, bytes)));
    }

    private synchronized void count(long hash) {
        if ((hash & mask) != 0) {
            return; // the sample was halved meanwhile
        }
        asked.merge(hash, 1L, Long::sum);
        if (asked.size() > MOST_KEYS) {
            mask = mask << 1 | 1;
            asked.keySet().removeIf(kept -> (kept & mask) != 0);
        }
    }

    /** FNV-1a of 64 bits, mixed as the finish of MurmurHash3 is, so that each bit is as random. */
    private static long hash(byte[] key) {
        long hash = 0xcbf29ce484222325L;
        for (byte each : key) {
            hash = (hash ^ each & 0xff) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }

    /**
     * Writes what was seen so far as a question.
     *
     * @param file whose name is the page's: of a-z, 0-9 and "-", as {@code mine.toml}
     * @throws IllegalStateException when nothing was seen, or no value
     */
    public synchronized void write(Path file) throws IOException {
        long all = Arrays.stream(operations).mapToLong(LongAdder::sum).sum();
        if (all == 0 || values.sum() == 0) {
            throw new IllegalStateException("nothing was recorded, or no value: call put or insert"
                    + " once, so that its size is known");
        }
        StringJoiner mix = new StringJoiner(", ", "{ ", " }");
        long left = 1_000_000;
        int largest = 0;
        long[] shares = new long[OPERATIONS.length];
        for (int at = 0; at < shares.length; at++) {
            shares[at] = Math.round(1e6 * operations[at].sum() / all);
            left -= shares[at];
            largest = shares[at] > shares[largest] ? at : largest;
        }
        shares[largest] += left; // what rounding lost, so that they add up to 1
        for (int at = 0; at < shares.length; at++) {
            if (shares[at] > 0) {
                mix.add("%s = %s".formatted(OPERATIONS[at], decimal(shares[at])));
            }
        }
        StringBuilder text = new StringBuilder();
        List<String> lines = new ArrayList<>(List.of(
                "# Recorded: " + all + " operations of " + threads.size() + " threads; half of the"
                        + " values have " + halfOfValues() + " bytes or less",
                "question = \"A program as it was recorded\"",
                "entries = " + Math.max(LEAST_KEYS, keys()),
                "value_bytes = " + Math.max(1, valueBytes.sum() / values.sum()),
                "mix = " + mix,
                "keys = \"" + (longestKey > INT_BYTES ? "string" : "int") + "\"",
                "popularity = \"" + (isUneven() ? "zipfian" : "uniform") + "\"",
                "threads = " + Math.min(MOST_THREADS, threads.size())));
        if (shares[RANGE] > 0) {
            lines.add(
                    "range_entries = " + Math.max(1, rangeEntries.sum() / operations[RANGE].sum()));
        }
        Files.write(file, lines);
    }

    private static String decimal(long millionths) {
        String text = String.format(Locale.ROOT, "%.6f", millionths / 1e6);
        return text.replaceAll("0+$", "").replaceAll("\\.$", ".0");
    }

    private long keys() {
        return asked.size() * (mask + 1);
    }

    /** The power of two that half of the values do not exceed. */
    private long halfOfValues() {
        long seen = 0;
        for (int power = 0; power < sizes.length(); power++) {
            seen += sizes.get(power);
            if (2 * seen >= values.sum()) {
                return power == 0 ? 0 : (1L << power) - 1;
            }
        }
        return 0;
    }

    private boolean isUneven() {
        double mean = asked.values().stream().mapToLong(n -> n).average().orElse(0);
        double variance = asked.values().stream()
                .mapToDouble(n -> (n - mean) * (n - mean))
                .average()
                .orElse(0);
        return variance > UNEVEN * mean;
    }
}
