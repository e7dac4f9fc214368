///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java LmdbJavaBb.java

package stores;

import kv.cli.Cli;
import kv.store.StoreDescriptor;

/**
 * LMDB BB under a second name: what the two differ by is noise, and nothing smaller is a
 * difference.
 */
public final class LmdbJavaBbAgain extends LmdbJavaBb {

    public static void main(String... arguments) {
        Cli.run(new LmdbJavaBbAgain(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return super.describe().duplicate(LmdbJavaBbAgain.class, "LMDB BB again", "#7a8fa6");
    }
}
