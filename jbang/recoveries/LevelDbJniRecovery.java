///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../stores/LevelDbJni.java

package recoveries;

import java.io.IOException;
import java.nio.file.Path;
import kv.crash.Recovery;
import kv.store.CaseSpec;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.Options;

/**
 * Writes the list of LevelDB's tables anew from what there is of them, and may lose data.
 *
 * @see <a href="https://github.com/google/leveldb/blob/main/include/leveldb/db.h">RepairDB</a>
 */
public final class LevelDbJniRecovery implements Recovery {

    @Override
    public void recover(Path directory, CaseSpec spec) throws IOException {
        JniDBFactory.factory.repair(directory.toFile(), new Options());
    }
}
