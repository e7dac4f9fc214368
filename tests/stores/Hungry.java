///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java AlteredFlatFile.java

package stores;

import kv.cli.Cli;
import kv.store.StoreDescriptor;

/** A flat file that fills the heap, to the last byte, before an entry is put. */
public final class Hungry extends AlteredFlatFile {

    private static final int LARGEST_BYTES = 1 << 20;
    private static Object[] kept = {};

    public static void main(String... arguments) {
        Cli.run(new Hungry(), arguments);
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
    void beforePut() {
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
}
