package kv.workloads;

import kv.data.Data;

/**
 * The same as readKey with an XXH64 of every key and of every value: what is got has to be there.
 */
public final class ReadKeyXxh64 extends Get {

    public ReadKeyXxh64() {
        super(First.LOAD);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new Xxh64Sink(data);
    }
}
