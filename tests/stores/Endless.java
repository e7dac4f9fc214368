///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java

package stores;

import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Store;
import kv.store.StoreDescriptor;

/** A store that never finishes opening: what a time limit is for. */
public final class Endless implements Store {

    public static void main(String... arguments) {
        Cli.run(new Endless(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Endless.class,
                "Endless",
                StoreDescriptor.CONTROL,
                "#ff0002",
                "",
                "a store that never finishes opening");
    }

    @Override
    public String engine() {
        return "none";
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws InterruptedException {
        Thread.sleep(Long.MAX_VALUE);
        throw new AssertionError("woken after 292 million years");
    }
}
