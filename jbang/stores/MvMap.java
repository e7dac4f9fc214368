///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/PlainMap.java
//DEPS com.h2database:h2:2.5.252

package stores;

import families.PlainMap;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.StoreDescriptor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/**
 * MVStore where a plain map would do: its map is filled, and committing and closing it makes the
 * bytes, in a file of its own.
 */
public final class MvMap extends PlainMap<MVMap<String, byte[]>> {

    public static void main(String... arguments) {
        Cli.run(new MvMap(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String javadoc = "https://javadoc.io/static/com.h2database/h2/2.5.252/org/h2/mvstore/";
        return describe(
                        MvMap.class,
                        "MVStore map",
                        "#9a54c4",
                        "com.h2database:h2",
                        "MVStore with its defaults; its serialising is commit and close, which"
                                + " write its file, and its saving only deletes that")
                .usage(
                        "MVStore.open",
                        "defaults",
                        "as a program would that wants a map that lasts",
                        javadoc + "MVStore.html#open(java.lang.String)")
                .usage(
                        "commit, close",
                        "once, after all entries",
                        "serialise",
                        javadoc + "MVStore.html#close()");
    }

    @Override
    public String engine() {
        return "MVStore " + MVStore.class.getPackage().getImplementationVersion();
    }

    @Override
    protected MVMap<String, byte[]> empty(Path directory) {
        return MVStore.open(directory.resolve("map").toString()).openMap("entries");
    }

    @Override
    protected void put(MVMap<String, byte[]> map, String key, byte[] value) {
        map.put(key, value);
    }

    @Override
    protected byte[] get(MVMap<String, byte[]> map, String key) {
        return map.get(key);
    }

    @Override
    protected long serialise(MVMap<String, byte[]> map, ByteArrayOutputStream out)
            throws IOException {
        Path file = Path.of(map.getStore().getFileStore().getFileName());
        map.getStore().commit();
        map.getStore().close();
        return Files.size(file);
    }

    @Override
    protected void save(ByteArrayOutputStream bytes, Path file) throws IOException {
        Files.delete(file);
    }
}
