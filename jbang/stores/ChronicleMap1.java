///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ChronicleMap.java

package stores;

import kv.cli.Cli;
import kv.store.StoreDescriptor;
import kv.store.Value;

/**
 * Chronicle Map with one segment. Entries lie in the order in which they were written, which
 * favours gets that come in the same order.
 */
public final class ChronicleMap1 extends ChronicleMap {

    public static void main(String... arguments) {
        Cli.run(new ChronicleMap1(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        ChronicleMap1.class,
                        "Chronicle 1 segment",
                        "#3f7f0a",
                        Value.of(1),
                        "entries lie in the order in which they were written, under one lock")
                .accessPath();
    }
}
