package kv.workloads;

import kv.data.Data;

/** Scan in ascending order, one CRC32 over all bytes of all keys and values. */
public final class ReadCrc extends Scan {

    public ReadCrc() {
        super(First.LOAD);
    }

    @Override
    VerifyingSink sink(Data data) {
        return new Crc32Sink(data);
    }

    @Override
    public boolean isShared() {
        return true;
    }
}
