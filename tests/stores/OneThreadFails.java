///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java

package stores;

import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Store;
import kv.store.StoreDescriptor;

/**
 * A slow store, whose writer fails in the thread that has the first entry; the others would take
 * long.
 */
public final class OneThreadFails implements Store {

    private static final long PUT_MS = 100;

    public static void main(String... arguments) {
        Cli.run(new OneThreadFails(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                        OneThreadFails.class,
                        "One fails",
                        StoreDescriptor.CONTROL,
                        "#ff0003",
                        "",
                        "a store that fails in one of several threads")
                .setting(Setting.THREADS, "one of them fails");
    }

    @Override
    public String engine() {
        return "none";
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        return new Db() {
            @Override
            public Writer writer() {
                return new Writer() {
                    @Override
                    public void put(Entry entry) throws InterruptedException {
                        if (entry.rank() == 0) {
                            throw new IllegalStateException(
                                    "no room for entry 0 in " + directory.resolve("log"));
                        }
                        Thread.sleep(PUT_MS);
                    }

                    @Override
                    public void close() {
                        // Nothing is held.
                    }
                };
            }

            @Override
            public Reader reader() {
                throw new UnsupportedOperationException("nothing was written");
            }

            @Override
            public void close() {
                // Nothing is held.
            }
        };
    }
}
