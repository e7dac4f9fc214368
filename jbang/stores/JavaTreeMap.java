///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/PlainMap.java

package stores;

import families.PlainMap;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import kv.cli.Cli;
import kv.store.StoreDescriptor;

/** Java's own red-black tree. */
public final class JavaTreeMap extends PlainMap.OfJava {

    public static void main(String... arguments) {
        Cli.run(new JavaTreeMap(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                JavaTreeMap.class,
                "TreeMap",
                "#4f7f7f",
                "",
                "java.util.TreeMap, in the order of its keys, serialised by Java");
    }

    @Override
    public String engine() {
        return "Java " + Runtime.version().feature();
    }

    @Override
    protected Map<String, byte[]> empty(Path directory) {
        return new TreeMap<>();
    }
}
