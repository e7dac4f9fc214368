///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java AlteredFlatFile.java

package stores;

import kv.cli.Cli;
import kv.store.StoreDescriptor;

/** A flat file whose class cannot even be made here: it loads native code too soon. */
public final class LacksAtOnce extends AlteredFlatFile {

    static {
        System.loadLibrary("no-such-library");
    }

    public static void main(String... arguments) {
        Cli.run(new LacksAtOnce(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                LacksAtOnce.class,
                "Lacks at once",
                StoreDescriptor.CONTROL,
                "#ff0009",
                "",
                "a flat file without its native code");
    }
}
