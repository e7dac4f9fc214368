package kv.workloads;

import kv.data.Data;

/** {@link ReadKeyXxh64} after {@link Overwrite} or {@link Churn}. */
public final class ReadKeyAged extends Get {

    public ReadKeyAged() {
        super(First.AGEING);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new Xxh64Sink(data);
    }
}
