package kv.workloads;

import kv.data.Data;

/** Get every entry by its key, in the order of writing, as the sources do. */
public final class ReadKeyWritten extends Get {

    public ReadKeyWritten() {
        super(First.LOAD);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new ReachSink(data);
    }

    @Override
    int position(Data data, int turn) {
        return turn;
    }

    @Override
    public boolean looksIntoValues() {
        return false;
    }
}
