package kv.store;

/**
 * How far a commit has to get before it returns: the tiers of durability, the same for every store.
 */
public enum Sync {
    /** Other operations of the process see it. */
    OFF,
    /** The system has it: it survives the process, not the machine. */
    OS,
    /** The device has it. */
    ON
}
