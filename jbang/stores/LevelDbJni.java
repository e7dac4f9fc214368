///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/LevelDb.java
//DEPS org.fusesource.leveldbjni:leveldbjni-all:1.8

package stores;

import families.CacheSize;
import families.LevelDb;
import kv.cli.Cli;
import kv.store.Entry;
import kv.store.StoreDescriptor;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.DBFactory;
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
                .option(
                        "block_cache",
                        CacheSize.OUTSIDE_HEAP,
                        "for tables beyond the thousand that it maps into memory and reads in"
                                + " place; the default is 8 MB",
                        "https://github.com/google/leveldb/blob/main/doc/index.md#cache");
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
