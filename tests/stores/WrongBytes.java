///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java AlteredFlatFile.java

package stores;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.StoreDescriptor;

/** A flat file that changes one bit of one value: what verification must never let pass. */
public final class WrongBytes extends AlteredFlatFile {

    public static void main(String... arguments) {
        Cli.run(new WrongBytes(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                WrongBytes.class,
                "Wrong bytes",
                StoreDescriptor.CONTROL,
                "#ff0000",
                "",
                "a flat file with one wrong bit");
    }

    @Override
    void afterLoad(Path directory, CaseSpec spec) throws Exception {
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("flat").toFile(), "rw")) {
            long last = spec.flatBytes() - 1; // the end of the last value
            file.seek(last);
            int old = file.read();
            file.seek(last);
            file.write(old ^ 1);
        }
    }
}
