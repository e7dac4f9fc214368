package kv.crash;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import kv.data.Native;
import kv.store.Sink;

/** Keeps a copy of what a store reads, to be looked at afterwards. */
final class Capture implements Sink {

    /** A key and its value. */
    record Pair(byte[] key, byte[] value) {}

    private List<Pair> pairs = new ArrayList<>();

    /** What has come since the last call. */
    List<Pair> taken() {
        List<Pair> taken = pairs;
        pairs = new ArrayList<>();
        return taken;
    }

    @Override
    public boolean wantsKeys() {
        return true;
    }

    @Override
    public void accept(byte[] value) {
        throw new IllegalStateException("a value came without its key");
    }

    @Override
    public void accept(byte[] key, byte[] value) {
        pairs.add(new Pair(key.clone(), value.clone()));
    }

    @Override
    public void accept(ByteBuffer key, ByteBuffer value) {
        pairs.add(new Pair(copy(key), copy(value)));
    }

    @Override
    public void accept(long key, int keyBytes, long value, int valueBytes) {
        pairs.add(new Pair(copy(key, keyBytes), copy(value, valueBytes)));
    }

    private static byte[] copy(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static byte[] copy(long address, int bytes) {
        byte[] copy = new byte[bytes];
        Native.copy(address, copy, 0, bytes);
        return copy;
    }
}
