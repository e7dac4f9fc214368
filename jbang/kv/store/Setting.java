package kv.store;

import com.google.gson.annotations.SerializedName;
import java.util.Arrays;
import java.util.Set;

/**
 * What a case may change of a store's own options, to see what an option costs. A store declares in
 * {@link StoreDescriptor#setting} those that it has, and in {@link StoreDescriptor#fixed} those
 * that it has one value of; a case with another is "n/a" for that store.
 */
public enum Setting {
    /**
     * on: a commit waits until its data are on the device (exhibits A02, C09); os: until the system
     * has them, so that they survive the process (C01); off: until other operations see them.
     */
    @SerializedName("sync")
    SYNC("sync", "on|os|off", "on, os or off"),
    /** on: a commit also waits for the page that makes it valid (exhibit A04). */
    @SerializedName("metaSync")
    META_SYNC("metaSync", "on|off", "on or off"),
    /** on: writes go into the memory map instead of through buffers (exhibit A03). */
    @SerializedName("writeMap")
    WRITE_MAP("writeMap", "on|off", "on or off"),
    /** Entries written together: in one batch, or between two commits (exhibits A06, B02). */
    @SerializedName("batch")
    BATCH("batch", Form.COUNT, Form.COUNT_WORDS),
    /**
     * on, off, default: as the vendor has it, or other: the other way (exhibits C11, C17). Without
     * this setting it is off. A store's description of it begins with "on by default" or "off by
     * default".
     */
    @SerializedName("compression")
    COMPRESSION("compression", "on|off|default|other", "on, off, default or other"),
    /**
     * Megabytes of cache and write buffer, by default many: see {@link Budget} (exhibits C01, C13,
     * C15).
     */
    @SerializedName("memory")
    MEMORY(
            "memory",
            "[1-9]\\d{0,5}|[1-9]\\d{1,5}-(writes|reads)",
            "megabytes, as 4, 128-writes or 128-reads"),
    /**
     * Threads at work together: each writes or gets its share of the entries, or scans them all
     * (exhibits D01, E02 to E04).
     */
    @SerializedName("threads")
    THREADS("threads", Form.COUNT, Form.COUNT_WORDS),
    /**
     * sequential: one thread loads the entries in ascending order, whatever the order in which they
     * are got (exhibits E02, E03).
     */
    @SerializedName("load")
    LOAD("load", "sequential", "sequential"),
    /**
     * Entries a second that one more thread overwrites while others read (exhibit E03); a case's
     * own, whatever the store.
     */
    @SerializedName("writes")
    WRITES("writes", Form.COUNT, Form.COUNT_WORDS),
    /**
     * Operations a second, at which each is due in an open loop; a case's own, whatever the store.
     */
    @SerializedName("rate")
    RATE("rate", Form.COUNT, Form.COUNT_WORDS),
    /**
     * Entries of a range, at most, and keys that are got in one call; a case's own, whatever the
     * store.
     */
    @SerializedName("range")
    RANGE("range", Form.COUNT, Form.COUNT_WORDS),
    /** Shares of the operations of a mix; a case's own, whatever the store. */
    @SerializedName("mix")
    MIX("mix", Form.SHARES, "shares of " + Form.OPERATIONS + ", as get-0.9_put-0.1"),
    /** Which entries a mix asks for; a case's own, whatever the store. */
    @SerializedName("popularity")
    POPULARITY("popularity", "zipfian|uniform|latest", "zipfian, uniform or latest"),
    /** Entries of a case, where cases differ in nothing else; a case's own, whatever the store. */
    @SerializedName("entries")
    ENTRIES("entries", Form.COUNT, Form.COUNT_WORDS),
    /** Which of the store's calls read an entry; the store says which there are (exhibit E04). */
    @SerializedName("calls")
    CALLS("calls", ".+", "the name that the store has for them"),
    /**
     * on: caches, buffers and layout as the vendor ships them; durability, compression and the way
     * of loading as in every case.
     */
    @SerializedName("defaults")
    DEFAULTS("defaults", "on|off", "on or off"),
    /** Times that entries are deleted and others written; a case's own, whatever the store. */
    @SerializedName("rounds")
    ROUNDS("rounds", Form.COUNT, Form.COUNT_WORDS);

    /** What numbers of entries look like. */
    private static final class Form {
        static final String COUNT = "[1-9]\\d{0,8}|\\d{1,3}(\\.\\d{1,6})?%";
        static final String OPERATIONS = "get|put|insert|delete|range|floor|modify";
        static final String SHARE = "(" + OPERATIONS + ")-(1|1\\.0|0?\\.\\d{1,9})";
        static final String SHARES = SHARE + "(_" + SHARE + ")*";
        static final String COUNT_WORDS = "a number from 1 to 999999999 or a share as 0.1%";
    }

    private static final Set<Setting> OF_HARNESS =
            Set.of(LOAD, WRITES, RATE, ENTRIES, RANGE, MIX, POPULARITY, ROUNDS);

    private final String label;
    private final String form;
    private final String formInWords;

    Setting(String label, String form, String formInWords) {
        this.label = label;
        this.form = form;
        this.formInWords = formInWords;
    }

    /**
     * Refuses what is no value of this setting.
     *
     * @throws UserError that says what is one
     */
    void check(String value) {
        if (!value.matches(form)) {
            throw new UserError(this + " is " + formInWords + ", not " + value);
        }
    }

    /** Whether it is the harness's own, of which no store has to know. */
    public boolean ofHarness() {
        return OF_HARNESS.contains(this);
    }

    /**
     * The setting of that name.
     *
     * @throws UserError when there is none, naming those that exist
     */
    public static Setting named(String name) {
        return Arrays.stream(values())
                .filter(s -> s.label.equals(name))
                .findFirst()
                .orElseThrow(() -> new UserError("There is no setting '" + name + "'; choose from "
                        + Arrays.toString(values())));
    }

    @Override
    public String toString() {
        return label;
    }
}
