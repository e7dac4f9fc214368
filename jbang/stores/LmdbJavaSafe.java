///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/LmdbJavaByteBuffer.java

package stores;

import families.LmdbJavaByteBuffer;
import java.nio.ByteBuffer;
import kv.cli.Cli;
import kv.store.StoreDescriptor;
import org.lmdbjava.BufferProxy;
import org.lmdbjava.ByteBufferProxy;

/**
 * LmdbJava where {@code Unsafe} is not wanted: byte buffers whose addresses are set by reflection.
 */
public final class LmdbJavaSafe extends LmdbJavaByteBuffer {

    public static void main(String... arguments) {
        Cli.run(new LmdbJavaSafe(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        LmdbJavaSafe.class,
                        "LMDB BB safe",
                        "#5179a6",
                        "byte buffers aimed by reflection, without Unsafe")
                .usage(
                        "BufferProxy",
                        "PROXY_SAFE",
                        "for those who may not use Unsafe",
                        "https://www.javadoc.io/doc/org.lmdbjava/lmdbjava/latest/org/lmdbjava/"
                                + "ByteBufferProxy.html#PROXY_SAFE")
                .accessPath();
    }

    @Override
    protected BufferProxy<ByteBuffer> proxy() {
        return ByteBufferProxy.PROXY_SAFE;
    }
}
