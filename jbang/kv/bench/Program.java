package kv.bench;

import kv.data.Data;
import kv.store.Store;

/**
 * A database whose passes run outside the harness, which times them itself: loops in another
 * language, or of another kind.
 */
public interface Program extends Store.Db {

    /** Loads the entries, untimed, where reads need them. */
    void load(Data data) throws Exception;

    /** Runs a workload's passes as the schedule says, and counts and checks what they handle. */
    Measurement run(String workload, Data data, Schedule schedule) throws Exception;

    /**
     * Compares every entry that the database holds, byte for byte.
     *
     * @throws Exception when one is missing or wrong
     */
    void verify(Data data) throws Exception;

    @Override
    default Store.Writer writer() {
        throw new UnsupportedOperationException("this store writes in a program of its own");
    }

    @Override
    default Store.Reader reader() {
        throw new UnsupportedOperationException("this store reads in a program of its own");
    }
}
