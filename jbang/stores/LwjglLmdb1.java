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

    public static void main(String... arguments) {
        Cli.run(new LwjglLmdb1(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                LwjglLmdb1.class,
                "LMDB 1.0",
                "#4c7ef3",
                "LMDB 1.0, whose files 0.9 cannot read, through LWJGL as LMDB JGL");
    }
}
