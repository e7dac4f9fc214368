package families;

//SOURCES LmdbJava.java

import java.nio.ByteBuffer;
import kv.store.Entry;
import kv.store.Sink;

/**
 * LmdbJava with Java's own direct byte buffers; the subclass chooses how their addresses are set.
 */
public abstract class LmdbJavaByteBuffer extends LmdbJava<ByteBuffer> {

    @Override
    protected final Pair<ByteBuffer> pair() {
        return new Pair<>() {
            @Override
            public ByteBuffer key(Entry entry) {
                return entry.keyBuffer();
            }

            @Override
            public ByteBuffer value(Entry entry) {
                return entry.valueBuffer();
            }
        };
    }

    @Override
    protected final void accept(Sink sink, ByteBuffer key, ByteBuffer value) {
        sink.accept(key, value);
    }
}
