///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../stores/ChronicleMap.java

package recoveries;

import java.io.IOException;
import java.nio.file.Path;
import kv.crash.Recovery;
import kv.store.CaseSpec;
import net.openhft.chronicle.map.ChronicleMapBuilder;

/**
 * Takes locks away that a dead process has left, and mends what links entries: what to do where a
 * map proves to be corrupt.
 *
 * @see <a href="https://github.com/OpenHFT/Chronicle-Map/issues/515">when it is to be called</a>
 */
public final class ChronicleMapRecovery implements Recovery {

    private static final boolean BY_BUILDER = false; // sizes are those in the file's header

    @Override
    public void recover(Path directory, CaseSpec spec) throws IOException {
        ChronicleMapBuilder.of(byte[].class, byte[].class)
                .recoverPersistedTo(directory.resolve("chronicle").toFile(), BY_BUILDER)
                .close();
    }
}
