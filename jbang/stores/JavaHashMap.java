///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/PlainMap.java

package stores;

import families.PlainMap;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import kv.cli.Cli;
import kv.store.StoreDescriptor;

/** Java's own hash table. */
public final class JavaHashMap extends PlainMap.OfJava {

    public static void main(String... arguments) {
        Cli.run(new JavaHashMap(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                JavaHashMap.class,
                "HashMap",
                "#8b6914",
                "",
                "java.util.HashMap, serialised by Java");
    }

    @Override
    public String engine() {
        return "Java " + Runtime.version().feature();
    }

    @Override
    protected Map<String, byte[]> empty(Path directory) {
        return new HashMap<>();
    }
}
