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
    ON;

    static Sync named(String name) {
        return switch (name) {
            case "off" -> OFF;
            case "os" -> OS;
            case "on" -> ON;
            default -> throw new UserError("sync is on, os or off, not " + name);
        };
    }
}
