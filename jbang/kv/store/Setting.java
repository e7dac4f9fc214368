package kv.store;

import com.google.gson.annotations.SerializedName;
import java.util.Arrays;

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
    SYNC("sync"),
    /** on: a commit also waits for the page that makes it valid (exhibit A04). */
    @SerializedName("metaSync")
    META_SYNC("metaSync"),
    /** on: writes go into the memory map instead of through buffers (exhibit A03). */
    @SerializedName("writeMap")
    WRITE_MAP("writeMap"),
    /** Entries written together: in one batch, or between two commits (exhibits A06, B02). */
    @SerializedName("batch")
    BATCH("batch"),
    /**
     * on, off, default: as the vendor has it, or other: the other way (exhibits C11, C17). Without
     * this setting it is off. A store's description of it begins with "on by default" or "off by
     * default".
     */
    @SerializedName("compression")
    COMPRESSION("compression"),
    /**
     * Megabytes of cache and write buffer, by default many: see {@link Budget} (exhibits C01, C13,
     * C15).
     */
    @SerializedName("memory")
    MEMORY("memory"),
    /**
     * Threads at work together: each writes or gets its share of the entries, or scans them all
     * (exhibits D01, E02 to E04).
     */
    @SerializedName("threads")
    THREADS("threads"),
    /**
     * sequential: one thread loads the entries in ascending order, whatever the order in which they
     * are got (exhibits E02, E03).
     */
    @SerializedName("load")
    LOAD("load"),
    /** Entries a second that one more thread overwrites while others read (exhibit E03). */
    @SerializedName("writes")
    WRITES("writes"),
    /** Which of the store's calls read an entry; the store says which there are (exhibit E04). */
    @SerializedName("calls")
    CALLS("calls"),
    /**
     * on: caches, buffers and layout as the vendor ships them; durability, compression and the way
     * of loading as in every case.
     */
    @SerializedName("defaults")
    DEFAULTS("defaults");

    private final String label;

    Setting(String label) {
        this.label = label;
    }

    /** The setting of that name. @throws UserError when there is none, naming those that exist */
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
