///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java Memory.java

package stores;

import kv.cli.Cli;
import kv.data.Native;
import kv.store.StoreDescriptor;

/**
 * No store: the same block of memory, of which reading reads every byte. What one thread gets out
 * of this machine's memory is the limit of the flat file, as the flat file is the limit of the
 * stores.
 */
public final class MemoryBandwidth extends Memory {

    // A cache line, added up in sums that do not wait for each other
    private static final int LINE = 8 * Long.BYTES;

    private long total; // kept, so that the compiler cannot leave the reading out

    public static void main(String... arguments) {
        Cli.run(new MemoryBandwidth(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                        MemoryBandwidth.class,
                        "Memory, every byte",
                        StoreDescriptor.CONTROL,
                        "#8f7f6b",
                        "",
                        "a block of memory that is filled, and read byte for byte: what this"
                                + " machine's memory allows one thread")
                .usage(
                        "ByteBuffer.allocateDirect",
                        "entries x entry bytes",
                        "as native stores hold their entries",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/"
                                + "java.base/java/nio/ByteBuffer.html");
    }

    @Override
    protected void touch(long entry, int bytes) {
        long a = 0;
        long b = 0;
        long c = 0;
        long d = 0;
        long at = entry;
        for (long end = entry + bytes - LINE; at <= end; at += LINE) {
            a += Native.longAt(at) + Native.longAt(at + 32);
            b += Native.longAt(at + 8) + Native.longAt(at + 40);
            c += Native.longAt(at + 16) + Native.longAt(at + 48);
            d += Native.longAt(at + 24) + Native.longAt(at + 56);
        }
        for (; at < entry + bytes; at++) {
            a += Native.byteAt(at);
        }
        total += a + b + c + d;
    }
}
