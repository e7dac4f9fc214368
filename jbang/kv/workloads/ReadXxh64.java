package kv.workloads;

import kv.data.Data;

/** Scan in ascending order, an XXH64 of every key and of every value. */
public final class ReadXxh64 extends Scan {

    public ReadXxh64() {
        super(First.LOAD);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new Xxh64Sink(data);
    }

    @Override
    public boolean isShared() {
        return true;
    }
}
