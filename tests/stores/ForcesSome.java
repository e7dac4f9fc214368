///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java
//SOURCES AppendedFile.java

package stores;

import java.io.IOException;
import java.nio.channels.FileChannel;
import kv.cli.Cli;

/** Forces every tenth commit to the device, and says so of each. */
public class ForcesSome extends AppendedFile {

    private int commits;

    public static void main(String... arguments) {
        Cli.run(new ForcesSome(), arguments);
    }

    @Override
    protected void force(FileChannel file) throws IOException {
        if (++commits % 10 == 0) {
            super.force(file);
        }
    }
}
