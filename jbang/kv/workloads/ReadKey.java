package kv.workloads;

import kv.data.Data;

/**
 * Get every entry by its key, in an order of its own, which is neither that of writing nor that of
 * the keys; of sequential keys in theirs.
 */
public final class ReadKey extends Get {

    public ReadKey() {
        super(First.LOAD);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new ReachSink(data);
    }

    @Override
    public boolean looksIntoValues() {
        return false;
    }

    @Override
    public boolean isShared() {
        return true;
    }
}
