package kv.workloads;

import kv.data.Data;

/**
 * Adds up the lengths of the values: each value is reached, none is looked into, and keys do not
 * matter.
 */
public final class ReachSink extends VerifyingSink {

    public ReachSink(Data data) {
        super(data);
    }

    @Override
    ReachSink another() {
        return new ReachSink(data);
    }

    @Override
    public boolean wantsKeys() {
        return false;
    }

    @Override
    public void accept(byte[] value) {
        count++;
        sum += value.length;
    }

    @Override
    public void accept(byte[] key, byte[] value) {
        count++;
        sum += value.length;
    }

    @Override
    public void accept(long key, int keyBytes, long value, int valueBytes) {
        count++;
        sum += valueBytes;
    }

    @Override
    public String toString() {
        return "REACH";
    }
}
