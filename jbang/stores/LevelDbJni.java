///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/LevelDb.java ../families/CacheSize.java
//DEPS org.fusesource.leveldbjni:leveldbjni-all:1.8

package stores;

import families.CacheSize;
import families.LevelDb;
import kv.cli.Cli;
import kv.store.Budget;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Option;
import kv.store.StoreDescriptor;
import kv.store.Value;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;

/** Google's LevelDB, in C++, through JNI. */
public final class LevelDbJni extends LevelDb {

    public static void main(String... arguments) {
        Cli.run(new LevelDbJni(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        LevelDbJni.class,
                        "LevelDB",
                        "#bd8200",
                        "org.fusesource.leveldbjni:leveldbjni-all",
                        "Google's LevelDB in C++ through leveldbjni, which copies keys and values"
                                + " in and out")
                .option(Option.of(
                                "block_cache",
                                Value.in(CacheSize.OUTSIDE_HEAP, LevelDbJni::cacheBytes),
                                "for tables beyond the thousand that it maps into memory and reads"
                                        + " in place; the default is 8 MB",
                                "https://github.com/google/leveldb/blob/main/doc/index.md#cache")
                        .sets(Options.class, Options::cacheSize)
                        .reads(Options.class, Options::cacheSize)
                        .shipped(0L));
    }

    private static long cacheBytes(CaseSpec spec) {
        Budget memory = spec.memory();
        return memory == null ? CacheSize.outsideHeap(spec) : memory.cacheBytes();
    }

    @Override
    protected DBFactory factory() {
        return JniDBFactory.factory;
    }

    @Override
    protected void add(WriteBatch batch, Entry entry) {
        batch.put(entry.key(), entry.value());
    }
}
