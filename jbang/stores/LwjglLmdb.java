///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/LmdbLwjgl.java
//DEPS org.lwjgl:lwjgl-lmdb:3.3.6 org.lwjgl:lwjgl-lmdb:3.3.6:natives-linux
//DEPS org.lwjgl:lwjgl:3.3.6:natives-linux
//DEPS org.lwjgl:lwjgl:3.3.6:natives-linux-arm64 org.lwjgl:lwjgl-lmdb:3.3.6:natives-linux-arm64
//DEPS org.lwjgl:lwjgl:3.3.6:natives-macos org.lwjgl:lwjgl-lmdb:3.3.6:natives-macos
//DEPS org.lwjgl:lwjgl:3.3.6:natives-macos-arm64 org.lwjgl:lwjgl-lmdb:3.3.6:natives-macos-arm64

package stores;

import families.LmdbLwjgl;
import kv.cli.Cli;
import kv.store.StoreDescriptor;

/**
 * LMDB 0.9 through LWJGL, the same engine as LmdbJava's: the row by which bindings are compared.
 */
public final class LwjglLmdb extends LmdbLwjgl {

    public static void main(String... arguments) {
        Cli.run(new LwjglLmdb(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        LwjglLmdb.class,
                        "LMDB JGL",
                        "#6c63d8",
                        "LMDB's C API as LWJGL mirrors it: one cursor in one transaction, keys and"
                                + " values passed by address")
                .accessPath();
    }
}
