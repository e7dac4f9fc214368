///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java AlteredFlatFile.java

package stores;

import java.nio.file.Path;
import kv.cli.Cli;
import kv.data.Native;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.StoreDescriptor;

/**
 * A flat file that throws an Error when a case with string keys is loaded in sequential order, and
 * kills the JVM when one with int keys is.
 */
public final class Erring extends AlteredFlatFile {

    private static final long NOWHERE = 1;

    public static void main(String... arguments) {
        Cli.run(new Erring(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Erring.class,
                "Erring",
                StoreDescriptor.CONTROL,
                "#ff0007",
                "",
                "a flat file that ends two JVMs in two ways");
    }

    @Override
    void afterLoad(Path directory, CaseSpec spec) {
        if (spec.sequential() && spec.keys() == KeyKind.STRING) {
            throw new LinkageError("no such method");
        } else if (spec.sequential()) {
            Native.byteAt(NOWHERE);
        }
    }
}
