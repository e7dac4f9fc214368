///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/Tkrzw.java

package stores;

import families.Tkrzw;
import java.util.HashMap;
import java.util.Map;
import kv.cli.Cli;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Setting;
import kv.store.StoreDescriptor;
import tkrzw.DBM;

/** Tkrzw's HashDBM, a hash table in a file that is mapped into memory. */
public final class TkrzwHash extends Tkrzw {

    private static final String NO_ORDER = "a hash table keeps no order";
    private static final int DEFAULT_BUCKETS = 1_048_583;
    private static final int OFFSET_BYTES = 5;
    // What four bytes address of records that begin at multiples of eight, less room for garbage
    private static final long MOST_BYTES_OF_DEFAULT = 16L << 30;

    public static void main(String... arguments) {
        Cli.run(new TkrzwHash(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        TkrzwHash.class,
                        "Tkrzw hash",
                        StoreDescriptor.HASH_TABLE,
                        "#0c90e9",
                        "Tkrzw's HashDBM through its Java interface, one set or get at a time")
                .unsupported(Capability.SCAN, NO_ORDER)
                .option(
                        "num_buckets",
                        "two for each entry, or the default of 1,048,583",
                        "entries of one bucket are a chain: its rebuild makes as many",
                        SITE + "#tips_hashdbm_tune")
                .option(
                        "offset_width",
                        OFFSET_BYTES + " where the data exceed 16 GiB",
                        "its advice for a very large database; the default is 4",
                        SITE + "#tips_hashdbm_tune")
                .fixed(Setting.MEMORY, "4", "its only cache is the system's")
                .setting(Setting.DEFAULTS, "1,048,583 buckets");
    }

    @Override
    protected String ending() {
        return ".tkh";
    }

    @Override
    protected Map<String, String> tuning(CaseSpec spec) {
        Map<String, String> parameters = new HashMap<>();
        if (!spec.vendorDefaults()) {
            long buckets = Math.max(DEFAULT_BUCKETS, 2L * spec.entries());
            parameters.put("num_buckets", String.valueOf(buckets));
        }
        if (spec.flatBytes() > MOST_BYTES_OF_DEFAULT) {
            parameters.put("offset_width", String.valueOf(OFFSET_BYTES));
        }
        return parameters;
    }

    @Override
    protected Reader reader(DBM dbm) {
        return new Gets(dbm);
    }
}
