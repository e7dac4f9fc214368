///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 99+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java AlteredFlatFile.java

package stores;

import kv.store.StoreDescriptor;

/** A flat file of a later Java. */
public final class Newer extends AlteredFlatFile {

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Newer.class,
                "Newer",
                StoreDescriptor.CONTROL,
                "#ff000a",
                "",
                "a flat file of a later Java");
    }
}
