///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java

package stores;

import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Store;
import kv.store.StoreDescriptor;

/** A flat file that fills the heap, to the last byte, before an entry is put. */
public final class Hungry implements Store {

    private static final int LARGEST_BYTES = 1 << 20;
    private static Object[] kept = {};

    private final Store good = new FlatFile();

    public static void main(String... arguments) {
        Cli.run(new Hungry(), arguments);
    }

    private static void fill() {
        for (int bytes = LARGEST_BYTES; bytes > 0; bytes /= 2) {
            try {
                while (true) {
                    kept = new Object[] {kept, new byte[bytes]};
                }
            } catch (OutOfMemoryError full) {
                // A smaller piece may still find room.
            }
        }
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Hungry.class,
                "Hungry",
                StoreDescriptor.CONTROL,
                "#ff0006",
                "",
                "a flat file that fills the heap");
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
                Writer writer = db.writer();
                return new Writer() {
                    @Override
                    public void put(Entry entry) throws Exception {
                        fill();
                        writer.put(entry);
                    }

                    @Override
                    public void close() throws Exception {
                        writer.close();
                    }
                };
            }

            @Override
            public Reader reader() throws Exception {
                return db.reader();
            }

            @Override
            public void close() throws Exception {
                db.close();
            }
        };
    }
}
