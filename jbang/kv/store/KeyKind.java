package kv.store;

import com.google.gson.annotations.SerializedName;

/** How an entry's number becomes key bytes (sources: LmdbJava Benchmarks, "Int" and "Str"). */
public enum KeyKind {
    /** A 32-bit integer in the store's own integer byte order: 4 bytes. */
    @SerializedName("int")
    INT(4),
    /**
     * The number as 16 ASCII digits, zero-padded, with neither length prefix nor terminator: 16
     * bytes.
     */
    @SerializedName("string")
    STRING(16);

    /** Bytes of every key of this kind. */
    public final int bytes;

    KeyKind(int bytes) {
        this.bytes = bytes;
    }

    @Override
    public String toString() {
        return name().toLowerCase();
    }
}
