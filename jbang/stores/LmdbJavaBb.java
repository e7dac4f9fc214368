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

/** LmdbJava's default: byte buffers whose addresses are set through {@code sun.misc.Unsafe}. */
public class LmdbJavaBb extends LmdbJavaByteBuffer {

    public static void main(String... arguments) {
        Cli.run(new LmdbJavaBb(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        LmdbJavaBb.class,
                        "LMDB BB",
                        "#1f77b4",
                        "byte buffers aimed by Unsafe, its default")
                .usage(
                        "BufferProxy",
                        "PROXY_OPTIMAL",
                        "the library's default",
                        "https://www.javadoc.io/doc/org.lmdbjava/lmdbjava/latest/org/lmdbjava/"
                                + "ByteBufferProxy.html#PROXY_OPTIMAL");
    }

    @Override
    protected BufferProxy<ByteBuffer> proxy() {
        return ByteBufferProxy.PROXY_OPTIMAL;
    }
}
