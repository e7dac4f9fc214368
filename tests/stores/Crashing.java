///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java AlteredFlatFile.java

package stores;

import kv.cli.Cli;
import kv.data.Native;
import kv.store.StoreDescriptor;

/**
 * A flat file that touches memory that is not there when it is to be read, as a fault in a native
 * library does: the JVM dies.
 */
public final class Crashing extends AlteredFlatFile {

    private static final long NOWHERE = 1;

    public static void main(String... arguments) {
        Cli.run(new Crashing(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Crashing.class,
                "Crashing",
                StoreDescriptor.CONTROL,
                "#ff0001",
                "",
                "a flat file that kills the JVM when it is to be read");
    }

    @Override
    void beforeReading() {
        Native.byteAt(NOWHERE);
    }
}
