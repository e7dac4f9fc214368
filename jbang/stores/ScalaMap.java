///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/PlainMap.java
//DEPS org.scala-lang:scala-library:2.13.16

package stores;

import families.PlainMap;
import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.StoreDescriptor;
import scala.collection.mutable.HashMap;

/** Scala's mutable hash table. */
public final class ScalaMap extends PlainMap<HashMap<String, byte[]>> {

    public static void main(String... arguments) {
        Cli.run(new ScalaMap(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                ScalaMap.class,
                "Scala map",
                "#c0392b",
                "org.scala-lang:scala-library",
                "scala.collection.mutable.HashMap, serialised by Java");
    }

    @Override
    public String engine() {
        return "Scala " + scala.util.Properties.versionNumberString();
    }

    @Override
    protected HashMap<String, byte[]> empty(Path directory) {
        return new HashMap<>();
    }

    @Override
    protected void put(HashMap<String, byte[]> map, String key, byte[] value) {
        map.put(key, value);
    }

    @Override
    protected byte[] get(HashMap<String, byte[]> map, String key) {
        return map.getOrElse(key, () -> null);
    }
}
