package kv.store;

import com.google.gson.annotations.SerializedName;

/**
 * The order in which entries are written, and read back by key. Scans always follow the key order.
 */
public enum Order {
    /** Ascending keys. */
    @SerializedName("sequential")
    SEQUENTIAL,
    /** The same keys shuffled by a seeded Mersenne Twister, each exactly once. */
    @SerializedName("random")
    RANDOM;

    @Override
    public String toString() {
        return name().toLowerCase();
    }
}
