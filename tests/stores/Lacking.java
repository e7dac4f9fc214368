///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java ../../jbang/stores/FlatFile.java AlteredFlatFile.java

package stores;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.StoreDescriptor;

/**
 * A flat file whose native code does not load, in each case in another way, unless there is the
 * file that the environment's KVREPORT_LIBRARY names.
 */
public final class Lacking extends AlteredFlatFile {

    private CaseSpec spec;

    /** Loads its library as most classes with native methods do. */
    private static final class Loading {
        static {
            System.loadLibrary("no-such-library");
        }

        static void call() {}
    }

    private static native void unlinked();

    public static void main(String... arguments) {
        Cli.run(new Lacking(), arguments);
    }

    static boolean isThere() {
        return Files.exists(Path.of(System.getenv().getOrDefault("KVREPORT_LIBRARY", "none")));
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                Lacking.class,
                "Lacking",
                StoreDescriptor.CONTROL,
                "#ff0008",
                "",
                "a flat file without its native code");
    }

    @Override
    public String engine() throws Exception {
        if (!isThere()) {
            Loading.call();
        }
        return super.engine();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        this.spec = spec;
        if (!isThere() && spec.keys() == KeyKind.INT) {
            Loading.call(); // a second time, too
        }
        return super.open(directory, spec);
    }

    @Override
    void beforePut() {
        if (!isThere() && spec.sequential()) {
            unlinked();
        }
    }

    @Override
    void beforeReading() throws Exception {
        if (!isThere()) {
            System.load(ofAnotherProcessor().toString());
        }
    }

    /** An ELF file's header, which is as much as is looked at. */
    private static Path ofAnotherProcessor() throws Exception {
        boolean intel = System.getProperty("os.arch").equals("amd64");
        ByteBuffer header = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(0x464c457f).put((byte) 2).put((byte) 1).put((byte) 1);
        header.putShort(16, (short) 3).putShort(18, (short) (intel ? 183 : 62));
        header.putInt(20, 1).putShort(52, (short) 64);
        return Files.write(Files.createTempFile("lib", ".so"), header.array());
    }
}
