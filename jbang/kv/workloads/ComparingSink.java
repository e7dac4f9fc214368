package kv.workloads;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Native;

/** Compares each entry, byte for byte, with the one that is due in its place. Never timed. */
public final class ComparingSink extends VerifyingSink {

    private final IntUnaryOperator order;
    private final IntFunction<EntryFlyweight> newest;
    private final ByteBuffer keyWindow = Native.window();
    private final ByteBuffer valueWindow = Native.window();

    private ComparingSink(Data data, IntUnaryOperator order) {
        super(data);
        this.order = order;
        this.newest = data.newest();
    }

    /** Of an ascending scan. */
    public static ComparingSink ascending(Data data) {
        return new ComparingSink(data, data::positionOfRank);
    }

    /** Of a descending scan. */
    public static ComparingSink descending(Data data) {
        int last = data.spec.entries() - 1;
        return new ComparingSink(data, place -> data.positionOfRank(last - place));
    }

    /** Of gets by key. */
    public static ComparingSink got(Data data) {
        return new ComparingSink(data, data::positionOfGet);
    }

    @Override
    ComparingSink another() {
        return ascending(data);
    }

    @Override
    public void accept(byte[] key, byte[] value) {
        compare(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
    }

    @Override
    public void accept(long key, int keyBytes, long value, int valueBytes) {
        compare(Native.aim(keyWindow, key, keyBytes), Native.aim(valueWindow, value, valueBytes));
    }

    private void compare(ByteBuffer key, ByteBuffer value) {
        int entries = data.spec.entries();
        int place = count++;
        if (place >= entries) {
            throw new WrongData("more than the " + entries
                    + " entries written came back; a put of a key that is there has to"
                    + " overwrite it");
        }
        EntryFlyweight due = newest.apply(order.applyAsInt(place));
        if (!due.sameKey(key)) {
            throw new WrongData(
                    "a wrong key came back as entry " + place + ", where this was due: " + due);
        }
        if (!due.sameValue(value)) {
            throw new WrongData(
                    "a wrong value came back as entry " + place + ", where this was due: " + due);
        }
    }
}
