package kv.bench;

/** What is done to a database between passes, and never while the clock runs. */
public interface Upkeep {

    /** Has the system forget the database's files, while it is closed. */
    void evict() throws Exception;

    /** What was left to be done, and the database's size before and after it was closed. */
    record Settled(Settle settle, long openBytes, long closedBytes) {}

    /**
     * Waits until background work has died down, closes the database and opens it again, and takes
     * its size meanwhile.
     */
    Settled settled() throws Exception;

    /** The same, without the size. */
    default Settle settle() throws Exception {
        return settled().settle();
    }

    /** Bytes of disk blocks that its files occupy. */
    long allocatedBytes() throws Exception;
}
