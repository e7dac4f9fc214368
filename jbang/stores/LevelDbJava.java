///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/LevelDb.java
//DEPS org.iq80.leveldb:leveldb:0.12 org.iq80.snappy:snappy:0.4

package stores;

import families.LevelDb;
import kv.cli.Cli;
import kv.store.Capability;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.StoreDescriptor;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.impl.Iq80DBFactory;

/** LevelDB rewritten in Java; its iterator only goes forward. */
public final class LevelDbJava extends LevelDb {

    public static void main(String... arguments) {
        Cli.run(new LevelDbJava(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return describe(
                        LevelDbJava.class,
                        "leveldb (Java)",
                        "#a6761d",
                        "org.iq80.leveldb:leveldb",
                        "LevelDB rewritten in Java, in the same file format")
                .unsupported(Capability.SCAN_BACKWARDS, "iterates forward only")
                .setting(Setting.MEMORY, "write_buffer_size; it has no block cache");
    }

    @Override
    protected DBFactory factory() {
        return Iq80DBFactory.factory;
    }

    @Override
    protected void add(WriteBatch batch, Entry entry) {
        batch.put(entry.newKey(), entry.newValue());
    }
}
