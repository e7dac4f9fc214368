///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../stores/Sparkey.java

package recoveries;

import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyWriter;
import java.io.IOException;
import java.nio.file.Path;
import kv.crash.Recovery;
import kv.store.CaseSpec;

/**
 * Writes the hash table anew from the log: without it no reader finds an entry.
 *
 * @see <a href="https://github.com/spotify/sparkey-java">SparkeyWriter.writeHash</a>
 */
public final class SparkeyRecovery implements Recovery {

    @Override
    public void recover(Path directory, CaseSpec spec) throws IOException {
        try (SparkeyWriter log = Sparkey.append(directory.resolve("sparkey").toFile())) {
            log.writeHash();
        }
    }
}
