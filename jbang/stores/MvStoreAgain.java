///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java MvStore.java

package stores;

import kv.cli.Cli;
import kv.store.StoreDescriptor;

/**
 * MVStore under a second name: what the two differ by is noise, and nothing smaller is a
 * difference.
 */
public final class MvStoreAgain extends MvStore {

    public static void main(String... arguments) {
        Cli.run(new MvStoreAgain(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return super.describe().duplicate(MvStoreAgain.class, "MVStore again", "#8f6fb0");
    }
}
