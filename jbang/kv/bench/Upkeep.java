package kv.bench;

/** What is done to a database between passes, and never while the clock runs. */
public interface Upkeep {

    /** Has the system forget the database's files, while it is closed. */
    void evict() throws Exception;

    /** Waits until background work has died down, closes the database and opens it again. */
    Settle settle() throws Exception;

    /** Bytes of disk blocks that its files occupy. */
    long allocatedBytes() throws Exception;
}
