///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java
//SOURCES AppendedFile.java

package stores;

import kv.cli.Cli;
import kv.store.CaseSpec;

/** Keeps commits back until it is closed, whatever was asked for. */
public class KeepsBack extends AppendedFile {

    public static void main(String... arguments) {
        Cli.run(new KeepsBack(), arguments);
    }

    @Override
    protected boolean keepsBack(CaseSpec spec) {
        return true;
    }
}
