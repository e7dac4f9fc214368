package kv;

import com.google.gson.annotations.SerializedName;
import java.util.Arrays;

/** The six workloads of LmdbJava Benchmarks (exhibits A01-A25). One iteration handles every entry once. */
public enum Workload {
    /** Write every entry into an empty store, in the shape's order, as that store's authors would load it. */
    @SerializedName("write") WRITE("write", null, false),
    /** Get every entry by its key, in the order of writing. */
    @SerializedName("readKey") READ_KEY("readKey", Sink.Mode.REACH, false),
    /** Scan all entries in ascending key order, reaching each value. */
    @SerializedName("readSeq") READ_SEQ("readSeq", Sink.Mode.REACH, true),
    /** The same in descending key order. */
    @SerializedName("readRev") READ_REV("readRev", Sink.Mode.REACH, true),
    /** Scan in ascending order, one CRC32 over all bytes of all keys and values. */
    @SerializedName("readCrc") READ_CRC("readCrc", Sink.Mode.CRC32, true),
    /** Scan in ascending order, an XXH64 of every key and of every value. */
    @SerializedName("readXxh64") READ_XXH64("readXxh64", Sink.Mode.XXH64, true);

    private final String label;
    /** What a read does with each entry; null for the write. */
    final Sink.Mode mode;
    /** True when entries are reached by a cursor rather than by key. */
    final boolean scan;

    Workload(String label, Sink.Mode mode, boolean scan) {
        this.label = label;
        this.mode = mode;
        this.scan = scan;
    }

    /** The workload of that name. @throws UserError when there is none, naming those that exist */
    public static Workload named(String name) {
        return Arrays.stream(values()).filter(w -> w.label.equals(name)).findFirst().orElseThrow(() ->
                new UserError("There is no workload '" + name + "'; choose from " + Arrays.toString(values())));
    }

    @Override
    public String toString() {
        return label;
    }
}
