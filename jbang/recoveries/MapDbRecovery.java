///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../stores/MapDb.java

package recoveries;

import java.nio.file.Path;
import kv.crash.Recovery;
import kv.store.CaseSpec;
import org.mapdb.DBMaker;

/**
 * Opens a file whose header says that it was not closed, as MapDB's own message advises, and closes
 * it.
 *
 * @see <a href="https://mapdb.org/dokka/latest/mapdb/org.mapdb/-d-b-maker/-maker/index.html">its
 *     options</a>
 */
public final class MapDbRecovery implements Recovery {

    @Override
    public void recover(Path directory, CaseSpec spec) {
        DBMaker.fileDB(directory.resolve("mapdb").toFile())
                .fileMmapEnable()
                .cleanerHackEnable()
                .checksumHeaderBypass()
                .make()
                .close();
    }
}
