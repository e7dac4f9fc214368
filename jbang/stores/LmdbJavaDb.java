///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/LmdbJava.java

package stores;

import families.LmdbJava;
import kv.cli.Cli;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.StoreDescriptor;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.BufferProxy;
import org.lmdbjava.DirectBufferProxy;

/** LmdbJava with Agrona's direct buffers, which wrap an address without an object for it. */
public final class LmdbJavaDb extends LmdbJava<DirectBuffer> {

    public static void main(String... arguments) {
        Cli.run(new LmdbJavaDb(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(LmdbJavaDb.class, "LMDB DB", "#3b93cb", "Agrona direct buffers")
                .usage(
                        "BufferProxy",
                        "PROXY_DB",
                        "Agrona's UnsafeBuffer",
                        "https://www.javadoc.io/doc/org.lmdbjava/lmdbjava/latest/org/lmdbjava/"
                                + "DirectBufferProxy.html#PROXY_DB")
                .usage(
                        "agrona.disable.bounds.checks",
                        "false (default)",
                        "nothing is read through the buffer's accessors",
                        "https://github.com/aeron-io/agrona/wiki/Agrona-System-Properties")
                .accessPath();
    }

    @Override
    protected BufferProxy<DirectBuffer> proxy() {
        return DirectBufferProxy.PROXY_DB;
    }

    @Override
    protected Pair<DirectBuffer> pair() {
        UnsafeBuffer key = new UnsafeBuffer(0, 0);
        UnsafeBuffer value = new UnsafeBuffer(0, 0);
        return new Pair<>() {
            @Override
            public DirectBuffer key(Entry entry) {
                key.wrap(entry.keyAddress(), entry.keyBytes());
                return key;
            }

            @Override
            public DirectBuffer value(Entry entry) {
                value.wrap(entry.valueAddress(), entry.valueBytes());
                return value;
            }
        };
    }

    @Override
    protected void accept(Sink sink, DirectBuffer key, DirectBuffer value) {
        sink.accept(key.addressOffset(), key.capacity(), value.addressOffset(), value.capacity());
    }
}
