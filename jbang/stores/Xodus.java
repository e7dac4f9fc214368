///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java
//DEPS org.jetbrains.xodus:xodus-environment:2.0.1

package stores;

import java.nio.file.Path;
import java.util.Arrays;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.StoreConfig;
import jetbrains.exodus.env.Transaction;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Shape;
import kv.Sink;
import kv.Store;

/** Xodus: trees of immutable nodes, appended to a log. */
public final class Xodus implements Store {

    public static void main(String... arguments) {
        Cli.run(new Xodus(), arguments);
    }

    @Override
    public About about() {
        return About.of(Xodus.class, "Xodus", About.LOG_STRUCTURED, "#e0457b", "org.jetbrains.xodus:xodus-environment", "x");
    }

    @Override
    public String engine() {
        return "Xodus " + Environments.class.getPackage().getImplementationVersion();
    }

    @Override
    public Db open(Path directory, Shape shape) {
        EnvironmentConfig config = new EnvironmentConfig()
                .setLogFileSize(Integer.getInteger("t.file", 32) * 1024L)
                .setLogCachePageSize(Integer.getInteger("t.page", 128) * 1024)
                .setGcEnabled(false)
                .setEnvGatherStatistics(false)
                .setManagementEnabled(false);
        if (Boolean.getBoolean("t.sep")) config.setLogCacheShared(false);
        if (Integer.getInteger("t.tree") != null) config.setTreeMaxPageSize(Integer.getInteger("t.tree"));
        if (Boolean.getBoolean("t.nonio")) config.setLogCacheUseNio(false);
        if (Boolean.getBoolean("t.noget")) config.setEnvStoreGetCacheSize(0);
        if (Boolean.getBoolean("t.hard")) config.setLogCacheUseSoftReferences(false);
        Environment environment = Environments.newInstance(directory.toFile(), config);
        jetbrains.exodus.env.Store store = environment.computeInTransaction(txn ->
                environment.openStore("entries", Boolean.getBoolean("t.btree") ? StoreConfig.WITHOUT_DUPLICATES : StoreConfig.WITHOUT_DUPLICATES_WITH_PREFIXING, txn));
        return new Log(environment, store, shape.sequential());
    }

    private record Log(Environment environment, jetbrains.exodus.env.Store store, boolean sequential) implements Db {

        @Override
        public Writer writer() {
            return new Load(this);
        }

        @Override
        public Reader reader() {
            return new Snapshot(store, environment.beginReadonlyTransaction());
        }

        @Override
        public void close() {
            environment.close();
        }
    }

    private static final class Load implements Writer {

        private final Log log;
        private Transaction batch;
        private int left;

        Load(Log log) {
            this.log = log;
            begin();
        }
        static final int N = Integer.getInteger("t.batch", 10000);

        private void begin() {
            batch = log.environment.beginExclusiveTransaction();
            left = N;
        }

        @Override
        public void put(Entry entry) {
            ByteIterable key = new ArrayByteIterable(entry.newKey());
            ByteIterable value = new ArrayByteIterable(entry.newValue());
            if (log.sequential) {
                log.store.putRight(batch, key, value);
            } else {
                log.store.put(batch, key, value);
            }
            if (--left == 0) {
                batch.commit();
                begin();
            }
        }

        @Override
        public void close() {
            batch.commit();
        }
    }

    private record Snapshot(jetbrains.exodus.env.Store store, Transaction transaction) implements Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] key = entry.key();
            ByteIterable value = store.get(transaction, new ArrayByteIterable(key));
            if (value != null) {
                sink.accept(key, bytes(value));
            }
        }

        @Override
        public void ascend(Sink sink) {
            try (Cursor cursor = store.openCursor(transaction)) {
                while (cursor.getNext()) {
                    sink.accept(bytes(cursor.getKey()), bytes(cursor.getValue()));
                }
            }
        }

        @Override
        public void descend(Sink sink) {
            try (Cursor cursor = store.openCursor(transaction)) {
                for (boolean more = cursor.getLast(); more; more = cursor.getPrev()) {
                    sink.accept(bytes(cursor.getKey()), bytes(cursor.getValue()));
                }
            }
        }

        private static byte[] bytes(ByteIterable data) {
            byte[] bytes = data.getBytesUnsafe();
            return bytes.length == data.getLength() ? bytes : Arrays.copyOf(bytes, data.getLength());
        }

        @Override
        public void close() {
            transaction.abort();
        }
    }
}
