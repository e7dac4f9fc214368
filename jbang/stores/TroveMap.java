///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/PlainMap.java
//DEPS net.sf.trove4j:core:3.1.0

package stores;

import families.PlainMap;
import gnu.trove.map.hash.THashMap;
import java.nio.file.Path;
import java.util.Map;
import kv.cli.Cli;
import kv.store.StoreDescriptor;

/**
 * Trove's hash table, which keeps keys and values in two arrays without an object for each entry.
 */
public final class TroveMap extends PlainMap.OfJava {

    public static void main(String... arguments) {
        Cli.run(new TroveMap(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                TroveMap.class,
                "Trove map",
                "#4d9221",
                "net.sf.trove4j:core",
                "Trove's open-addressing hash table, serialised by Java");
    }

    @Override
    public String engine() {
        return "Trove";
    }

    @Override
    protected Map<String, byte[]> empty(Path directory) {
        return new THashMap<>();
    }
}
