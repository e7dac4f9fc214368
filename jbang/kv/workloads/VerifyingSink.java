package kv.workloads;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Native;
import kv.store.Sink;

/** Counts and digests what a store reads, each digest in a class of its own. */
public abstract class VerifyingSink implements Sink {

    protected final Data data;
    protected int count;
    protected long sum;

    protected VerifyingSink(Data data) {
        this.data = data;
    }

    /** A sink of the same kind that has consumed nothing. */
    abstract VerifyingSink another();

    @Override
    public boolean wantsKeys() {
        return true;
    }

    @Override
    public void accept(byte[] value) {
        throw new WrongData("a value came without its key, which was wanted");
    }

    @Override
    public final void accept(ByteBuffer key, ByteBuffer value) {
        accept(
                Native.address(key) + key.position(),
                key.remaining(),
                Native.address(value) + value.position(),
                value.remaining());
    }

    /** A number that depends on every entry consumed, in the way of this sink. */
    public long digest() {
        return sum;
    }

    /** Forgets all entries consumed. */
    public void reset() {
        sum = 0;
        count = 0;
    }

    /** The digest of all entries as they were written last, in ascending order. */
    public final long due() {
        VerifyingSink due = another();
        IntFunction<EntryFlyweight> newest = data.newest();
        for (int rank = 0; rank < data.spec.entries(); rank++) {
            due.accept(newest.apply(data.positionOfRank(rank)));
        }
        return due.digest();
    }

    /** Consumes an entry as one that came back. */
    public final void accept(EntryFlyweight entry) {
        accept(entry.keyAddress(), entry.keyBytes(), entry.valueAddress(), entry.valueBytes());
    }

    /**
     * Proves that exactly the entries written were consumed.
     *
     * @throws WrongData when not
     */
    public final void check() {
        check(due(), List.of());
    }

    /**
     * Proves that this sink and others together consumed exactly the entries written.
     *
     * @param due their digest; that of several sinks must be a sum
     * @throws WrongData when not
     */
    final void check(long due, List<? extends VerifyingSink> others) {
        check(data.spec.entries(), due, others);
    }

    /** Proves the same of so many entries. */
    final void check(int entries, long due, List<? extends VerifyingSink> others) {
        int consumed = count + others.stream().mapToInt(other -> other.count).sum();
        if (consumed != entries) {
            throw new WrongData(consumed + " entries came back instead of " + entries);
        }
        if (digest() + others.stream().mapToLong(VerifyingSink::digest).sum() != due) {
            throw new WrongData(
                    "the " + this + " checksum of what came back is not that of what was written");
        }
    }
}
