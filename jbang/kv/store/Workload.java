package kv.store;

import com.google.gson.annotations.SerializedName;
import java.util.Arrays;
import java.util.List;

/**
 * The six workloads of LmdbJava Benchmarks (exhibits A01-A25), gets that look into values, those
 * that time every single operation, those that open the database in each pass or write it over, and
 * what is done with maps. One iteration handles every entry once.
 */
public enum Workload {
    /**
     * Put every entry into an empty store, in the case's order, in one transaction or batch after
     * the other, and close it.
     */
    @SerializedName("write")
    WRITE("write", null, false),
    /**
     * Load every entry into an empty store in ascending key order, with the loader that it has for
     * sorted entries, and close it. Never what a put costs.
     */
    @SerializedName("bulkLoad")
    BULK_LOAD("bulkLoad", null, false),
    /**
     * Get every entry by its key, in an order of its own, which is neither that of writing nor that
     * of the keys; of sequential keys in theirs.
     */
    @SerializedName("readKey")
    READ_KEY("readKey", Digest.REACH, false),
    /** Scan all entries in ascending key order, reaching each value. */
    @SerializedName("readSeq")
    READ_SEQ("readSeq", Digest.REACH, true),
    /** The same in descending key order. */
    @SerializedName("readRev")
    READ_REV("readRev", Digest.REACH, true),
    /** Scan in ascending order, one CRC32 over all bytes of all keys and values. */
    @SerializedName("readCrc")
    READ_CRC("readCrc", Digest.CRC32, true),
    /** Scan in ascending order, an XXH64 of every key and of every value. */
    @SerializedName("readXxh64")
    READ_XXH64("readXxh64", Digest.XXH64, true),
    /** The same with an XXH64 of every key and of every value: what is got has to be there. */
    @SerializedName("readKeyXxh64")
    READ_KEY_XXH64("readKeyXxh64", Digest.XXH64, false),
    /** Get every entry by its key, in the order of writing, as the sources do. */
    @SerializedName("readKeyWritten")
    READ_KEY_WRITTEN("readKeyWritten", Digest.REACH, false),
    /**
     * The load again, each put timed by itself: its service time, as the next begins when it has
     * ended.
     */
    @SerializedName("putService")
    PUT_SERVICE("putService", null, Pace.CLOSED),
    /**
     * Puts due at a fixed rate, that of {@link Setting#RATE} or half of what putService achieved,
     * each timed from when it was due.
     */
    @SerializedName("putResponse")
    PUT_RESPONSE("putResponse", null, Pace.OPEN),
    /** Gets by key, each timed by itself, with its XXH64: its service time. */
    @SerializedName("getService")
    GET_SERVICE("getService", Digest.XXH64, Pace.CLOSED),
    /**
     * Gets due at a fixed rate, that of {@link Setting#RATE} or half of what getService achieved,
     * each timed from when it was due.
     */
    @SerializedName("getResponse")
    GET_RESPONSE("getResponse", Digest.XXH64, Pace.OPEN),
    /**
     * Open the database again, and do {@link #READ_KEY_XXH64}: its files are still in the page
     * cache.
     */
    @SerializedName("readLukewarm")
    READ_LUKEWARM("readLukewarm", Digest.XXH64, false),
    /** The same, with the database's files out of the page cache. */
    @SerializedName("readCold")
    READ_COLD("readCold", Digest.XXH64, false),
    /**
     * Give every entry a new value, in the reverse order of writing; what comes after it finds a
     * database three times overwritten.
     */
    @SerializedName("overwrite")
    OVERWRITE("overwrite", Digest.REACH, false),
    /** {@link #READ_KEY_XXH64} after {@link #OVERWRITE}. */
    @SerializedName("readKeyAged")
    READ_KEY_AGED("readKeyAged", Digest.XXH64, false),
    /** {@link #READ_XXH64} after {@link #OVERWRITE}. */
    @SerializedName("readSeqAged")
    READ_SEQ_AGED("readSeqAged", Digest.XXH64, true),

    // What is done with a plain map instead (exhibit D02).
    /** Make random keys and values. */
    @SerializedName("generate")
    GENERATE("generate", null, false),
    /** Put them into an empty map. */
    @SerializedName("fill")
    FILL("fill", null, false),
    /** Turn the map into bytes. */
    @SerializedName("serialise")
    SERIALISE("serialise", null, false),
    /** Write the bytes to a file and delete it. */
    @SerializedName("save")
    SAVE("save", null, false),
    /** Fill, serialise and save together. */
    @SerializedName("total")
    TOTAL("total", null, false);

    /** The six of the source. */
    public static final List<Workload> OF_STORES =
            List.of(WRITE, READ_KEY, READ_SEQ, READ_REV, READ_CRC, READ_XXH64);
    /** All that can be measured of a store, in an order in which they can be. */
    public static final List<Workload> EVERY_OF_STORES = List.of(
            BULK_LOAD,
            WRITE,
            READ_KEY,
            READ_SEQ,
            READ_REV,
            READ_CRC,
            READ_XXH64,
            READ_KEY_XXH64,
            READ_KEY_WRITTEN,
            PUT_SERVICE,
            PUT_RESPONSE,
            GET_SERVICE,
            GET_RESPONSE,
            READ_LUKEWARM,
            READ_COLD,
            OVERWRITE,
            READ_KEY_AGED,
            READ_SEQ_AGED);
    /** Those of a plain map. */
    public static final List<Workload> OF_MAPS = List.of(GENERATE, FILL, SERIALISE, SAVE, TOTAL);

    /** What a read does with each entry, of which a checksum remains at the end of a pass. */
    public enum Digest {
        /**
         * Add up the lengths of the values: each value is reached, none is looked into, and keys do
         * not matter.
         */
        REACH,
        /** One CRC32 over every key and value, in order. */
        CRC32,
        /** Add up, for each entry, the XXH64 of its key, exclusive-or that of its value. */
        XXH64
    }

    /**
     * How single operations follow each other, where each is timed: the next when the last has
     * ended, or when it is due.
     */
    public enum Pace {
        CLOSED,
        OPEN
    }

    private final String label;
    /** What a read does with each entry; null for the write. */
    public final Digest digest;
    /** True when entries are reached by a cursor rather than by key. */
    public final boolean scan;
    /** Null where a pass is timed as a whole. */
    public final Pace pace;

    Workload(String label, Digest digest, boolean scan) {
        this(label, digest, scan, null);
    }

    Workload(String label, Digest digest, Pace pace) {
        this(label, digest, false, pace);
    }

    Workload(String label, Digest digest, boolean scan, Pace pace) {
        this.label = label;
        this.digest = digest;
        this.scan = scan;
        this.pace = pace;
    }

    /** Whether a store that cannot do that workload cannot do this one either. */
    public boolean isAs(Workload other) {
        return this == other
                || this == READ_SEQ_AGED && other == READ_SEQ
                || (this == READ_KEY_XXH64 || this == READ_KEY_WRITTEN) && other == READ_KEY;
    }

    /** Whether it makes an aged database, or reads one. */
    public boolean ages() {
        return this == OVERWRITE || this == READ_KEY_AGED || this == READ_SEQ_AGED;
    }

    /** Whether a pass begins with opening the database. */
    public boolean reopens() {
        return this == READ_LUKEWARM || this == READ_COLD;
    }

    /** Whether it makes the database, which those that read find. */
    public boolean loads() {
        return this == WRITE || this == BULK_LOAD || this == PUT_SERVICE || this == PUT_RESPONSE;
    }

    /**
     * The workload of that name.
     *
     * @throws UserError when there is none, naming those that exist
     */
    public static Workload named(String name) {
        return Arrays.stream(values())
                .filter(w -> w.label.equals(name))
                .findFirst()
                .orElseThrow(() -> new UserError("There is no workload '" + name + "'; choose from "
                        + Arrays.toString(values())));
    }

    @Override
    public String toString() {
        return label;
    }
}
