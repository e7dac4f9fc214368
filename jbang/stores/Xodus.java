///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java
//DEPS org.jetbrains.xodus:xodus-environment:2.0.1

package stores;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.backup.BackupStrategy;
import jetbrains.exodus.backup.VirtualFileDescriptor;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.StoreConfig;
import jetbrains.exodus.env.Transaction;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Unavailable;
import kv.store.Value;

/** Xodus: a Patricia trie of immutable nodes, which every transaction appends to a log. */
public final class Xodus implements Store {

    // Only the trie's right edge is written again in each
    private static final int ORDERED_BATCH = 10_000;
    // Nodes all over the trie are: the fewer transactions, the better it scans
    private static final int SHUFFLED_BATCH = 100_000;
    // What a transaction has written is on the heap until it commits
    private static final int SHARE_OF_HEAP = 16;

    public static void main(String... arguments) {
        Cli.run(new Xodus(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String javadoc = "https://javadoc.io/static/org.jetbrains.xodus/xodus-openAPI/2.0.1/"
                + "jetbrains/exodus/env/";
        String config = javadoc + "EnvironmentConfig.html#";
        return StoreDescriptor.of(
                        Xodus.class,
                        "Xodus",
                        StoreDescriptor.LOG_STRUCTURED,
                        "#e0457b",
                        "org.jetbrains.xodus:xodus-environment",
                        "a Patricia trie, loaded in large transactions; a value is copied out of"
                                + " the log's cached page once")
                .usage(
                        "StoreConfig",
                        "WITHOUT_DUPLICATES_WITH_PREFIXING",
                        "the Patricia trie: faster by key than the B+ tree",
                        javadoc + "StoreConfig.html#WITHOUT_DUPLICATES_WITH_PREFIXING")
                .usage(
                        "putRight",
                        "for the bulk load",
                        "appends at the tree's right edge, without a search",
                        javadoc
                                + "Store.html#putRight-jetbrains.exodus.env.Transaction-"
                                + "jetbrains.exodus.ByteIterable-jetbrains.exodus.ByteIterable-")
                .usage(
                        "exclusive transaction",
                        "every %,d entries; in random order %,d, or what fills 1/%d of the heap"
                                .formatted(ORDERED_BATCH, SHUFFLED_BATCH, SHARE_OF_HEAP),
                        "a node on the way is written once in each, not once an entry",
                        javadoc + "Environment.html#beginExclusiveTransaction--")
                .option(Option.of(
                                "exodus.log.durableWrite",
                                Value.in("false (default)", spec -> spec.sync() == Sync.ON),
                                "durability is off in this test",
                                config + "setLogDurableWrite-boolean-")
                        .sets(EnvironmentConfig.class, EnvironmentConfig::setLogDurableWrite)
                        .reads(EnvironmentConfig.class, EnvironmentConfig::getLogDurableWrite)
                        .term())
                .option(Option.of(
                                "exodus.log.syncPeriod",
                                Value.of("24 days", (long) Integer.MAX_VALUE),
                                "durability is off in this test; the default is 10 s",
                                config + "setLogSyncPeriod-long-")
                        .sets(EnvironmentConfig.class, EnvironmentConfig::setLogSyncPeriod)
                        .reads(EnvironmentConfig.class, EnvironmentConfig::getLogSyncPeriod)
                        .shipped(10_000L))
                .option(Option.of(
                                "exodus.log.fileSize",
                                Value.of("32 MiB", 32L << 10),
                                "fewer files; the default is 8 MiB",
                                config + "setLogFileSize-long-")
                        .sets(EnvironmentConfig.class, EnvironmentConfig::setLogFileSize)
                        .reads(EnvironmentConfig.class, EnvironmentConfig::getLogFileSize)
                        .shipped(8L << 10))
                .option(Option.of(
                                "exodus.log.cache.pageSize",
                                Value.of("128 KiB", 128 << 10),
                                "fewer values that span pages; the default is 64 KiB",
                                config + "setLogCachePageSize-int-")
                        .sets(EnvironmentConfig.class, EnvironmentConfig::setLogCachePageSize)
                        .reads(EnvironmentConfig.class, EnvironmentConfig::getLogCachePageSize)
                        .shipped(64 << 10))
                .option(Option.of(
                                "exodus.log.cache.shared",
                                Value.of(false),
                                "all databases of a process share a cache, with the pages and the"
                                        + " size that the first gave it; the default is true",
                                config + "setLogCacheShared-boolean-")
                        .sets(EnvironmentConfig.class, EnvironmentConfig::setLogCacheShared)
                        .reads(EnvironmentConfig.class, EnvironmentConfig::isLogCacheShared)
                        .shipped(true))
                .option(Option.of(
                                "exodus.memoryUsagePercentage",
                                Value.of("50 (default)", 50),
                                "of the heap, for the log's cache: holds this test's data",
                                config + "setMemoryUsagePercentage-int-")
                        .reads(
                                EnvironmentConfig.class,
                                EnvironmentConfig::getMemoryUsagePercentage))
                .option(Option.of(
                                "exodus.gc.enabled",
                                Value.of("false", false),
                                "a fresh load leaves nothing worth collecting",
                                config + "setGcEnabled-boolean-")
                        .sets(EnvironmentConfig.class, EnvironmentConfig::setGcEnabled)
                        .reads(EnvironmentConfig.class, EnvironmentConfig::isGcEnabled)
                        .shipped(true))
                .option(Option.of(
                                "exodus.env.gatherStatistics",
                                Value.of("false", false),
                                "a background job",
                                config + "setEnvGatherStatistics-boolean-")
                        .sets(EnvironmentConfig.class, EnvironmentConfig::setEnvGatherStatistics)
                        .reads(EnvironmentConfig.class, EnvironmentConfig::getEnvGatherStatistics)
                        .shipped(true))
                .option(Option.of(
                                "exodus.managementEnabled",
                                Value.of("false", false),
                                "no JMX beans",
                                config + "setManagementEnabled-boolean-")
                        .sets(EnvironmentConfig.class, EnvironmentConfig::setManagementEnabled)
                        .reads(EnvironmentConfig.class, EnvironmentConfig::isManagementEnabled)
                        .shipped(true))
                .setting(Setting.BATCH, "entries between two commits")
                .setting(
                        Setting.SYNC,
                        "on: exodus.log.durableWrite; os: as off, since a commit writes the log")
                .setting(
                        Setting.MEMORY,
                        "exodus.memoryUsage, of this database: exodus.log.cache.shared is off")
                .fixed(Setting.COMPRESSION, "default", "does not compress")
                .setting(
                        Setting.THREADS,
                        "exclusive transactions of each thread, one after another: threads queue")
                .setting(
                        Setting.DEFAULTS,
                        "files of 8 MiB, pages of 64 KiB in a shared cache, a sync every 10 s;"
                                + " garbage collector, statistics and JMX beans on");
    }

    @Override
    public String engine() {
        return "Xodus " + Environments.class.getPackage().getImplementationVersion();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        EnvironmentConfig config = describe().set(new EnvironmentConfig(), spec);
        if (spec.memory() != null) {
            config.setMemoryUsage(spec.memory().bytes());
        }
        Environment environment = Environments.newInstance(directory.toFile(), config);
        var store = environment.computeInTransaction(transaction -> environment.openStore(
                "entries", StoreConfig.WITHOUT_DUPLICATES_WITH_PREFIXING, transaction));
        return new Log(
                environment,
                store,
                spec.count(Setting.BATCH, spec.sequential() ? ORDERED_BATCH : shuffledBatch(spec)),
                spec.count(Setting.BATCH, ORDERED_BATCH),
                spec.keys().bytes,
                spec.valueBytes());
    }

    private static int shuffledBatch(CaseSpec spec) {
        long bytes = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
        long fitting = bytes / (spec.keys().bytes + spec.valueBytes());
        return Math.toIntExact(Math.max(1, Math.min(SHUFFLED_BATCH, fitting)));
    }

    private record Log(
            Environment environment,
            jetbrains.exodus.env.Store store,
            int batch,
            int orderedBatch,
            int keyBytes,
            int valueBytes)
            implements Db {

        @Override
        public Writer writer() {
            return new Batches(this, batch, false);
        }

        @Override
        public Writer loader() {
            return new Batches(this, orderedBatch, true);
        }

        @Override
        public Reader reader() {
            return new Snapshot(
                    store, environment.beginReadonlyTransaction(), keyBytes, valueBytes);
        }

        @Override
        public void compact() {
            throw new Unavailable(
                    "collects garbage in the background; gc() asks it to, and does not wait");
        }

        @Override
        public void backup(Path directory) throws Exception {
            BackupStrategy strategy = environment.getBackupStrategy();
            strategy.beforeBackup();
            try {
                for (VirtualFileDescriptor file : strategy.getContents()) {
                    if (file.hasContent()) {
                        try (InputStream in = file.getInputStream()) {
                            long bytes = Math.min(file.getFileSize(), strategy.acceptFile(file));
                            Files.write(
                                    directory.resolve(file.getName()),
                                    in.readNBytes(Math.toIntExact(bytes)));
                        }
                    }
                }
            } finally {
                strategy.afterBackup();
            }
        }

        @Override
        public List<Object> configured() {
            return List.of(environment.getEnvironmentConfig());
        }

        @Override
        public void close() {
            environment.close();
        }
    }

    private static final class Batches implements Writer {

        private final Log log;
        private final int entries;
        private final boolean toTheRight;
        private Transaction batch;
        private int left;

        Batches(Log log, int entries, boolean toTheRight) {
            this.log = log;
            this.entries = entries;
            this.toTheRight = toTheRight;
            begin();
        }

        private void begin() {
            batch = log.environment.beginExclusiveTransaction();
            left = entries;
        }

        @Override
        public void put(Entry entry) {
            ByteIterable key = new ArrayByteIterable(entry.newKey());
            ByteIterable value = new ArrayByteIterable(entry.newValue());
            if (toTheRight) {
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
        public void delete(Entry entry) {
            log.store.delete(batch, new ArrayByteIterable(entry.newKey()));
            if (--left == 0) {
                commit();
            }
        }

        @Override
        public void commit() {
            batch.commit();
            begin();
        }

        @Override
        public void close() {
            try {
                batch.commit();
            } finally {
                if (!batch.isFinished()) {
                    // As when it was too large for the heap: open, it would keep the environment
                    // from closing
                    batch.abort();
                }
            }
        }
    }

    private record Snapshot(
            jetbrains.exodus.env.Store store, Transaction transaction, int keyBytes, int valueBytes)
            implements Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] key = entry.key();
            ByteIterable value = store.get(transaction, new ArrayByteIterable(key));
            if (value != null) {
                sink.accept(key, bytes(value, valueBytes));
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            boolean keys = sink.wantsKeys();
            try (Cursor cursor = store.openCursor(transaction)) {
                if (direction == Direction.FORWARDS) {
                    boolean more = from == null
                            ? cursor.getNext() // a new cursor goes to the first
                            : cursor.getSearchKeyRange(key(from)) != null;
                    for (int left = limit;
                            more && left > 0;
                            more = --left > 0 && cursor.getNext()) {
                        emit(cursor, keys, sink);
                    }
                } else {
                    boolean more = from == null ? cursor.getLast() : floor(cursor, from);
                    for (int left = limit;
                            more && left > 0;
                            more = --left > 0 && cursor.getPrev()) {
                        emit(cursor, keys, sink);
                    }
                }
            }
        }

        /** Goes to the greatest key up to the entry's; false when there is none. */
        private static boolean floor(Cursor cursor, Entry from) {
            if (cursor.getSearchKey(key(from)) != null) {
                return true;
            }
            boolean greater = cursor.getSearchKeyRange(key(from)) != null;
            return greater ? cursor.getPrev() : cursor.getLast();
        }

        private static ByteIterable key(Entry entry) {
            return new ArrayByteIterable(entry.newKey());
        }

        /**
         * A trie holds no whole keys: one is put together from the path to its node, when it is
         * wanted.
         */
        private void emit(Cursor cursor, boolean key, Sink sink) {
            if (key) {
                sink.accept(bytes(cursor.getKey(), keyBytes), bytes(cursor.getValue(), valueBytes));
            } else {
                sink.accept(bytes(cursor.getValue(), valueBytes));
            }
        }

        /** The bytes, without a copy unless the array is longer than they are. */
        private static byte[] bytes(ByteIterable data, int expected) {
            byte[] bytes = data.getBytesUnsafe();
            return bytes.length == expected ? bytes : Arrays.copyOf(bytes, data.getLength());
        }

        @Override
        public void close() {
            transaction.abort();
        }
    }
}
