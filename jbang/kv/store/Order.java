package kv.store;

import com.google.gson.annotations.SerializedName;

/** Which keys there are, and in which order they are written. Scans always follow the key order. */
public enum Order {
    /** The numbers from 0, ascending; got by key in this order, too. */
    @SerializedName("sequential")
    SEQUENTIAL,
    /**
     * Distinct numbers of 31 bits, as a seeded Mersenne Twister gives them: sparse, as the report
     * of July 2016 selects them.
     */
    @SerializedName("random")
    RANDOM,
    /**
     * The numbers from 0, shuffled by a seeded Mersenne Twister, as the report of June 2016 orders
     * them. Tries and prefix encodings tell them from {@link #RANDOM}.
     */
    @SerializedName("dense")
    DENSE;

    @Override
    public String toString() {
        return name().toLowerCase();
    }
}
