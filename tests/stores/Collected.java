package stores;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import kv.data.Native;
import kv.store.CaseSpec;
import kv.store.Sink;
import kv.store.Store;

/** Keeps what it is given: a line for each entry. */
final class Collected implements Sink {

    final List<String> lines = new ArrayList<>();
    private final Store store;
    private final CaseSpec spec;

    Collected(Store store, CaseSpec spec) {
        this.store = store;
        this.spec = spec;
    }

    /** A key as hexadecimal digits, the most significant ones first. */
    static String key(byte[] key, Store store, CaseSpec spec) {
        return spec.intKeys()
                ? HexFormat.of()
                        .toHexDigits(
                                ByteBuffer.wrap(key).order(store.intKeyOrder()).getInt())
                : HexFormat.of().formatHex(key);
    }

    static String line(String key, String value) {
        return key + " " + value;
    }

    @Override
    public boolean wantsKeys() {
        return true;
    }

    @Override
    public void accept(byte[] value) {
        throw new IllegalStateException("gives no key where it is wanted");
    }

    @Override
    public void accept(byte[] key, byte[] value) {
        lines.add(line(key(key, store, spec), HexFormat.of().formatHex(value)));
    }

    @Override
    public void accept(ByteBuffer key, ByteBuffer value) {
        accept(copy(key), copy(value));
    }

    @Override
    public void accept(long key, int keyBytes, long value, int valueBytes) {
        byte[] keyCopy = new byte[keyBytes];
        byte[] valueCopy = new byte[valueBytes];
        Native.copy(key, keyCopy, 0, keyBytes);
        Native.copy(value, valueCopy, 0, valueBytes);
        accept(keyCopy, valueCopy);
    }

    private static byte[] copy(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }
}
