package kv.workloads;

import kv.data.Data;

/** {@link ReadXxh64} after {@link Overwrite} or {@link Churn}. */
public final class ReadSeqAged extends Scan {

    public ReadSeqAged() {
        super(First.AGEING);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new Xxh64Sink(data);
    }
}
