package kv.store;

/** What a store may lack of what its readers are asked for, and then says so. */
public enum Capability {
    /** To give all entries in the order of their keys. */
    SCAN,
    /** To give them in the opposite order; never without {@link #SCAN}. */
    SCAN_BACKWARDS
}
