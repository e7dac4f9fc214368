///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java AlteredFlatFile.java

package stores;

import java.nio.file.Files;
import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.StoreDescriptor;

/**
 * A flat file that leaves work to a thread of its own: what the client's clock does not see, and
 * the settling does.
 */
public final class Indebted extends AlteredFlatFile {

    /** What the thread does: so long, and so many bytes. */
    private static final double SECONDS = 1.5;

    private static final int BYTES = 1 << 20;

    public static void main(String... arguments) {
        Cli.run(new Indebted(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Indebted.class,
                "Indebted",
                StoreDescriptor.CONTROL,
                "#ff0003",
                "",
                "a flat file that works on after its load");
    }

    @Override
    void afterLoad(Path directory, CaseSpec spec) {
        Thread compaction = new Thread(() -> {
            long end = System.nanoTime() + (long) (SECONDS * 1e9);
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            try {
                Files.write(
                        Files.createDirectories(directory).resolve("compacted"), new byte[BYTES]);
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        compaction.setDaemon(true);
        compaction.start();
    }
}
