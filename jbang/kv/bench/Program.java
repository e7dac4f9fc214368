package kv.bench;

import kv.data.Data;
import kv.store.Store;
import kv.store.Workload;
import kv.trial.Profile;
import kv.trial.Trial;

/** A database whose passes run outside the harness, which times them itself: loops in another language, or of another kind. */
public interface Program extends Store.Db {

    /**
     * Runs a workload's passes, the first {@link Profile#warmupSeconds} unmeasured, and counts and checks what they handle.
     *
     * @param iterations measured passes, at most; 0 for a load that is only prepared
     */
    Trial.Result run(Workload workload, Data data, Profile profile, int iterations) throws Exception;

    /** Compares every entry that the database holds, byte for byte. @throws Exception when one is missing or wrong */
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
