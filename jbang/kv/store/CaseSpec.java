package kv.store;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A case: everything that decides its data, and all that a store may know beforehand.
 *
 * @param keys kind of the keys
 * @param order order of writing and of reading by key
 * @param entries number of entries, at least 1
 * @param valueBytes bytes of every value, at least 1
 * @param content what the values' bytes are like
 * @param seed seed of the key order and of the value bytes
 * @param settings what this case changes of the stores' own options
 */
public record CaseSpec(
        KeyKind keys,
        Order order,
        int entries,
        int valueBytes,
        Content content,
        long seed,
        Map<Setting, String> settings) {

    /** Default seed of all data: the date of the report that this one retraces. */
    public static final long SEED = 20160710;

    public CaseSpec {
        if (entries < 1) {
            throw new UserError("--entries must be at least 1, not " + entries);
        }
        if (valueBytes < 1) {
            throw new UserError("--value-bytes must be at least 1, not " + valueBytes);
        }
        settings.forEach(Setting::check);
    }

    /** A case on the default seed, which changes no options. */
    public CaseSpec(KeyKind keys, Order order, int entries, int valueBytes) {
        this(keys, order, entries, valueBytes, Content.RANDOM, SEED, Map.of());
    }

    /** A case for each kind of keys and each order; all else is the same. */
    public static List<CaseSpec> each(
            List<KeyKind> keys, List<Order> orders, int entries, int valueBytes) {
        List<CaseSpec> cases = new ArrayList<>();
        keys.forEach(kind ->
                orders.forEach(order -> cases.add(new CaseSpec(kind, order, entries, valueBytes))));
        return cases;
    }

    /** This case with one more setting. */
    public CaseSpec with(Setting setting, Object value) {
        Map<Setting, String> more = new EnumMap<>(Setting.class);
        more.putAll(settings);
        more.put(setting, String.valueOf(value));
        return new CaseSpec(keys, order, entries, valueBytes, content, seed, more);
    }

    /** This case with another seed. */
    public CaseSpec withSeed(long seed) {
        return new CaseSpec(keys, order, entries, valueBytes, content, seed, settings);
    }

    /** This case with another number of entries and bytes of a value. */
    public CaseSpec withSize(int entries, int valueBytes) {
        return new CaseSpec(keys, order, entries, valueBytes, content, seed, settings);
    }

    /** This case with other values. */
    public CaseSpec withContent(Content content) {
        return new CaseSpec(keys, order, entries, valueBytes, content, seed, settings);
    }

    /** Whether a setting is on; {@code otherwise} when this case does not change it. */
    public boolean on(Setting setting, boolean otherwise) {
        return settings.getOrDefault(setting, otherwise ? "on" : "off").equals("on");
    }

    /**
     * A setting that counts entries: a number from 1, or a share of this case's entries, as "0.1%",
     * rounded up; {@code otherwise} when this case does not change it.
     */
    public int count(Setting setting, int otherwise) {
        String value = settings.getOrDefault(setting, String.valueOf(otherwise));
        if (!value.endsWith("%")) {
            return Integer.parseInt(value);
        }
        double share = Double.parseDouble(value.substring(0, value.length() - 1)) / 100;
        return (int) Math.max(1, Math.ceil(share * entries));
    }

    /** How far a commit has to get. */
    public Sync sync() {
        return Sync.valueOf(settings.getOrDefault(Setting.SYNC, "off").toUpperCase());
    }

    /** Whether to compress, given what the vendor's default is. */
    public boolean compressed(boolean byDefault) {
        return switch (settings.getOrDefault(Setting.COMPRESSION, "off")) {
            case "default" -> byDefault;
            case "other" -> !byDefault;
            default -> on(Setting.COMPRESSION, false);
        };
    }

    /** The memory that this case grants; null when it leaves that to the store. */
    public Budget memory() {
        String value = settings.get(Setting.MEMORY);
        return value == null ? null : Budget.of(value);
    }

    /** Threads at work together. */
    public int threads() {
        return count(Setting.THREADS, 1);
    }

    /**
     * Whether threads are what this case varies: a store then is run in the way that suits many, at
     * every number of them.
     */
    public boolean shared() {
        return settings.containsKey(Setting.THREADS) || settings.containsKey(Setting.WRITES);
    }

    /** Whether one thread loads the entries in ascending order, whatever the order of the gets. */
    public boolean loadsInKeyOrder() {
        return settings.containsKey(Setting.LOAD);
    }

    /** Whether a store is to leave its caches, buffers and layout as its vendor ships them. */
    public boolean vendorDefaults() {
        return on(Setting.DEFAULTS, false);
    }

    /** True when keys arrive in ascending order. */
    public boolean sequential() {
        return loadsInKeyOrder() || order == Order.SEQUENTIAL && threads() == 1;
    }

    /**
     * Which of its calls the store is to read with; {@code otherwise} when this case does not say.
     *
     * @throws Unavailable when it has no such calls
     */
    public String calls(List<String> known, String otherwise) {
        String chosen = settings.getOrDefault(Setting.CALLS, otherwise);
        if (!known.contains(chosen)) {
            throw new Unavailable("has no calls of the kind " + chosen);
        }
        return chosen;
    }

    /** True for 4-byte integer keys. */
    public boolean intKeys() {
        return keys == KeyKind.INT;
    }

    /** Bytes of one key and its value. */
    public int entryBytes() {
        return keys.bytes + valueBytes;
    }

    /** Size in bytes of the flat array that holds the same data: the physical limit of space. */
    public long flatBytes() {
        return (long) entries * entryBytes();
    }

    @Override
    public String toString() {
        return keys + " keys, " + order + " order, " + valueBytes + "-byte values"
                + (settings.isEmpty() ? "" : ", " + describe(settings));
    }

    /** Settings as people write them: "sync=on, writeMap=off"; empty for none. */
    public static String describe(Map<Setting, String> settings) {
        return String.join(
                ", ",
                settings.entrySet().stream()
                        .map(e -> e.getKey() + "=" + e.getValue())
                        .toList());
    }
}
