///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java

package stores;

import java.nio.file.Path;
import kv.cli.Cli;
import kv.data.Native;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.StoreDescriptor;

/**
 * A flat file that touches memory that is not there when it is to be read, as a fault in a native
 * library does: the JVM dies.
 */
public final class Crashing implements Store {

    private static final long NOWHERE = 1;

    private final Store good = new FlatFile();

    public static void main(String... arguments) {
        Cli.run(new Crashing(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Crashing.class,
                "Crashing",
                StoreDescriptor.CONTROL,
                "#ff0001",
                "",
                "a flat file that kills the JVM when it is to be read");
    }

    @Override
    public String engine() throws Exception {
        return good.engine();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        Db db = good.open(directory, spec);
        return new Db() {
            @Override
            public Writer writer() throws Exception {
                return db.writer();
            }

            @Override
            public Reader reader() throws Exception {
                Native.byteAt(NOWHERE);
                return db.reader();
            }

            @Override
            public void close() throws Exception {
                db.close();
            }
        };
    }
}
