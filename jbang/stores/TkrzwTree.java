///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/Tkrzw.java ../families/CacheSize.java

package stores;

import families.CacheSize;
import families.Tkrzw;
import kv.cli.Cli;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;
import kv.store.Value;
import tkrzw.DBM;
import tkrzw.Iterator;

/** Tkrzw's TreeDBM, a B+ tree whose pages are records of a hash database. */
public final class TkrzwTree extends Tkrzw {

    // It reads the first leaf's number where it stored the last one's
    private static final String NO_LAST =
            "once its database is opened again it takes the first page for the last (1.0.32)";
    private static final int PAGE_BYTES = 8130; // the default
    private static final int DEFAULT_BUCKETS = 131_101;

    public static void main(String... arguments) {
        Cli.run(new TkrzwTree(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        TkrzwTree.class,
                        "Tkrzw tree",
                        StoreDescriptor.B_PLUS_TREE,
                        "#0f766e",
                        "Tkrzw's TreeDBM through its Java interface, one set or get at a time")
                .unsupported(Capability.SCAN_BACKWARDS, NO_LAST)
                .option(parameter(
                                "max_page_size",
                                Value.of((long) PAGE_BYTES),
                                "the default, suitable in most cases",
                                SITE + "#tips_treedbm_tune")
                        .shipped((long) PAGE_BYTES))
                .option(parameter(
                                "max_cached_pages",
                                Value.in(
                                        "pages of " + CacheSize.OUTSIDE_HEAP,
                                        TkrzwTree::cachedPages),
                                "page cache: holds all data; the default is 10,000",
                                SITE + "#tips_treedbm_tune")
                        .shipped(10_000L))
                .option(parameter(
                                "num_buckets",
                                Value.in(
                                        "two for each page of data, or the default of 131,101",
                                        spec -> Math.max(
                                                DEFAULT_BUCKETS,
                                                2 * spec.flatBytes() / pageBytes(spec))),
                                "pages are found by hash: with few buckets their chains are long",
                                SITE + "#tips_treedbm_tune")
                        .shipped((long) DEFAULT_BUCKETS))
                .setting(Setting.MEMORY, "max_cached_pages, for all of it")
                .setting(Setting.DEFAULTS, "10,000 cached pages, 131,101 buckets");
    }

    @Override
    protected String ending() {
        return ".tkt";
    }

    private static long cachedPages(CaseSpec spec) {
        long cacheBytes = spec.memory() == null
                ? CacheSize.outsideHeap(spec)
                : spec.memory().bytes();
        return Math.max(1, cacheBytes / pageBytes(spec));
    }

    /** A page has one entry at least, however large. */
    private static long pageBytes(CaseSpec spec) {
        return Math.max(PAGE_BYTES, spec.entryBytes());
    }

    @Override
    protected Reader reader(DBM dbm) {
        return new Ordered(dbm);
    }

    private static final class Ordered extends Gets {

        private final DBM dbm;

        Ordered(DBM dbm) {
            super(dbm);
            this.dbm = dbm;
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            if (direction == Direction.BACKWARDS) {
                throw new Unavailable(NO_LAST);
            }
            Iterator iterator = dbm.makeIterator();
            try {
                if (from == null) {
                    iterator.first();
                } else {
                    iterator.jump(from.key());
                }
                for (int left = limit; left > 0; left--) {
                    byte[][] entry = iterator.step();
                    if (entry == null) {
                        return;
                    }
                    sink.accept(entry[0], entry[1]);
                }
            } finally {
                iterator.destruct();
            }
        }
    }
}
