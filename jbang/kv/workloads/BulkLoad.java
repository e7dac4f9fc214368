package kv.workloads;

import kv.store.CaseSpec;
import kv.store.Store;

/**
 * Load every entry into an empty store in ascending key order, with the loader that it has for
 * sorted entries, and close it. Never what a put costs.
 */
public final class BulkLoad extends Load {

    @Override
    Store.Writer writer(Store.Db db) throws Exception {
        return db.loader();
    }

    @Override
    boolean inKeyOrder(CaseSpec spec) {
        return true;
    }
}
