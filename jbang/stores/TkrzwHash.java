///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/Tkrzw.java

package stores;

import families.Tkrzw;
import kv.cli.Cli;
import kv.store.Capability;
import kv.store.Setting;
import kv.store.StoreDescriptor;
import kv.store.Value;
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
                .option(parameter(
                                "num_buckets",
                                Value.in(
                                        "two for each entry, or the default of 1,048,583",
                                        spec -> Math.max(DEFAULT_BUCKETS, 2L * spec.entries())),
                                "entries of one bucket are a chain: its rebuild makes as many",
                                SITE + "#tips_hashdbm_tune")
                        .shipped((long) DEFAULT_BUCKETS))
                .option(parameter(
                                "offset_width",
                                Value.in(
                                        OFFSET_BYTES + " where the data exceed 16 GiB",
                                        spec -> spec.flatBytes() > MOST_BYTES_OF_DEFAULT
                                                ? (long) OFFSET_BYTES
                                                : null),
                                "its advice for a very large database; the default is 4",
                                SITE + "#tips_hashdbm_tune")
                        .shipped(4L)
                        .term())
                .fixed(Setting.MEMORY, "4", "its only cache is the system's")
                .setting(Setting.DEFAULTS, "1,048,583 buckets");
    }

    @Override
    protected String ending() {
        return ".tkh";
    }

    @Override
    protected Reader reader(DBM dbm) {
        return new Gets(dbm);
    }
}
