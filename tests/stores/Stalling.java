///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/Memory.java

package stores;

import java.util.concurrent.locks.LockSupport;
import kv.cli.Cli;
import kv.store.StoreDescriptor;

/**
 * A block of memory that stands still for a moment, once in some hundred reads: what closed loops
 * hide and open ones must show.
 */
public final class Stalling extends Memory {

    private static final long STALL_NS = 50_000_000;
    private static final int EVERY = 400;

    private int reads;

    public static void main(String... arguments) {
        Cli.run(new Stalling(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Stalling.class,
                "Stalling",
                StoreDescriptor.CONTROL,
                "#ff0004",
                "",
                "memory that stands still now and then");
    }

    @Override
    protected void touch(long entry, int bytes) {
        if (++reads % EVERY == 0) {
            for (long end = System.nanoTime() + STALL_NS; System.nanoTime() < end; ) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
        }
    }
}
