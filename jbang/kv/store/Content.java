package kv.store;

import com.google.gson.annotations.SerializedName;

/** What the values' bytes are like. */
public enum Content {
    /** Seeded random bytes, of which no compressor saves any. */
    @SerializedName("random")
    RANDOM,
    /**
     * Of every hundred bytes the second half repeats the first, so that a simple compressor saves
     * half of them (exhibits C01 to C18).
     */
    @SerializedName("half")
    HALF;

    @Override
    public String toString() {
        return name().toLowerCase();
    }
}
