package kv.workloads;

import kv.data.Data;

/** Scan all entries in ascending key order, reaching each value. */
public final class ReadSeq extends Scan {

    public ReadSeq() {
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
