package kv.store;

/** Which way a scan goes through the keys. */
public enum Direction {
    /** In ascending order. */
    FORWARDS,
    /** In descending order. */
    BACKWARDS
}
