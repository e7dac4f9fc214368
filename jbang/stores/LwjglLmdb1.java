///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/LmdbLwjgl.java
//DEPS org.lwjgl:lwjgl-lmdb:3.4.3 org.lwjgl:lwjgl-lmdb:3.4.3:natives-linux
//DEPS org.lwjgl:lwjgl:3.4.3:natives-linux
//DEPS org.lwjgl:lwjgl:3.4.3:natives-linux-arm64 org.lwjgl:lwjgl-lmdb:3.4.3:natives-linux-arm64
//DEPS org.lwjgl:lwjgl:3.4.3:natives-macos org.lwjgl:lwjgl-lmdb:3.4.3:natives-macos
//DEPS org.lwjgl:lwjgl:3.4.3:natives-macos-arm64 org.lwjgl:lwjgl-lmdb:3.4.3:natives-macos-arm64

package stores;

import families.LmdbLwjgl;
import kv.cli.Cli;
import kv.store.StoreDescriptor;

/** LMDB 1.0 through a later LWJGL: the row by which the engine's versions are compared. */
public final class LwjglLmdb1 extends LmdbLwjgl {

    private static final String MEMORY = "org.lwjgl.system.memoryBackend";
    private static final String UNSAFE = "legacy"; // sun.misc.Unsafe, the only one of LWJGL 3.3

    static {
        System.setProperty(MEMORY, UNSAFE); // before any class of LWJGL's reads it
    }

    public static void main(String... arguments) {
        Cli.run(new LwjglLmdb1(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        LwjglLmdb1.class,
                        "LMDB 1.0",
                        "#4c7ef3",
                        "LMDB 1.0, whose files 0.9 cannot read, through LWJGL as LMDB JGL")
                .usage(
                        MEMORY,
                        UNSAFE,
                        "sun.misc.Unsafe reads and writes memory on every JDK, as for LMDB JGL; the"
                                + " default is another from JDK 25 on",
                        "https://javadoc.lwjgl.org/org/lwjgl/system/Configuration.html");
    }
}
