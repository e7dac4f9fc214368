///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java RocksDb.java

package stores;

import kv.cli.Cli;
import kv.store.StoreDescriptor;

/**
 * RocksDB under a second name: what the two differ by is noise, and nothing smaller is a
 * difference.
 */
public final class RocksDbAgain extends RocksDb {

    public static void main(String... arguments) {
        Cli.run(new RocksDbAgain(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return super.describe().duplicate(RocksDbAgain.class, "RocksDB again", "#b0803c");
    }
}
