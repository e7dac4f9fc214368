///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java
//DEPS org.openjdk.jmh:jmh-core:1.37 org.openjdk.jmh:jmh-generator-annprocess:1.37
//COMPILE_OPTIONS -processor org.openjdk.jmh.generators.BenchmarkProcessor

package jmh;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import kv.bench.Database;
import kv.cli.Notebook;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Store;
import kv.workloads.Crc32Sink;
import kv.workloads.ReachSink;
import kv.workloads.VerifyingSink;
import kv.workloads.Xxh64Sink;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The six workloads, and gets that look into values, as JMH measures them: the same adapters, data
 * and sinks, but loops, warm-up, forks and clock that are not this project's. How far the two
 * differ is the bias of the harness. An operation is a pass; the case is in the parameters.
 *
 * <p>It runs with a store's class path beside its own: {@code kvreport crosscheck} does that.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CrossCheck {

    /** Ends JMH's command line in the ordinary way. */
    public static void main(String... arguments) throws Exception {
        org.openjdk.jmh.Main.main(arguments);
    }

    /**
     * A database and the data for it. Each pass has an entry of its own, as in the harness: one
     * kept here would grow old, and G1 then puts a memory fence after each reference that is stored
     * in it, one for each put or get.
     */
    @State(Scope.Thread)
    public abstract static class Fixture {

        @Param("FlatFile")
        public String store;

        @Param("INT")
        public KeyKind keys;

        @Param("RANDOM")
        public Order order;

        @Param("2000")
        public int entries;

        @Param("100")
        public int valueBytes;

        Store adapter;
        Data data;
        Path directory;
        Store.Db db;

        void make() throws Exception {
            adapter = Notebook.store(store);
            data = new Data(new CaseSpec(keys, order, entries, valueBytes), adapter.intKeyOrder());
            directory = Path.of(System.getProperty("kv.work"))
                    .resolve(store + "-" + ProcessHandle.current().pid());
        }

        void empty() throws Exception {
            remove();
            Files.createDirectories(directory);
            db = adapter.open(directory, data.spec);
        }

        void load() throws Exception {
            EntryFlyweight entry = data.entry();
            try (Store.Writer writer = db.writer()) {
                for (int position = 0; position < entries; position++) {
                    writer.put(entry.at(position));
                }
            }
        }

        void close() throws Exception {
            if (db != null) {
                db.close();
                db = null;
            }
        }

        void remove() throws Exception {
            close();
            Database.delete(directory);
        }
    }

    /** An empty database for each load. */
    public static class Empty extends Fixture {

        @Setup(Level.Trial)
        public void prepare() throws Exception {
            make();
        }

        @Setup(Level.Invocation)
        public void fresh() throws Exception {
            empty();
        }

        @TearDown(Level.Trial)
        public void end() throws Exception {
            remove();
        }
    }

    /** A database that was loaded, closed and opened again. */
    public static class Loaded extends Fixture {

        Store.Reader reader;
        VerifyingSink reach;
        VerifyingSink crc;
        VerifyingSink xxh64;
        private VerifyingSink used;

        @Setup(Level.Trial)
        public void prepare() throws Exception {
            make();
            empty();
            load();
            db.close();
            db = adapter.open(directory, data.spec);
            reader = db.reader();
            reach = new ReachSink(data);
            crc = new Crc32Sink(data);
            xxh64 = new Xxh64Sink(data);
        }

        VerifyingSink begin(VerifyingSink sink) {
            sink.reset();
            used = sink;
            return sink;
        }

        /** The last pass of an iteration is checked as those of the harness are. */
        @TearDown(Level.Iteration)
        public void check() {
            used.check();
        }

        @TearDown(Level.Trial)
        public void end() throws Exception {
            reader.close();
            remove();
        }
    }

    @Benchmark
    public void write(Empty state) throws Exception {
        state.load();
        state.close(); // as the harness's load, which ends when the data are where they belong
    }

    @Benchmark
    public long readKey(Loaded state) throws Exception {
        return get(state, state.reach);
    }

    @Benchmark
    public long readKeyXxh64(Loaded state) throws Exception {
        return get(state, state.xxh64);
    }

    private static long get(Loaded state, VerifyingSink digesting) throws Exception {
        VerifyingSink sink = state.begin(digesting);
        Store.Reader reader = state.reader;
        EntryFlyweight entry = state.data.entry();
        for (int turn = 0; turn < state.entries; turn++) {
            reader.get(entry.at(state.data.positionOfGet(turn)), sink);
        }
        reader.flush(sink);
        return sink.digest();
    }

    @Benchmark
    public long readSeq(Loaded state) throws Exception {
        state.reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, state.begin(state.reach));
        return state.reach.digest();
    }

    @Benchmark
    public long readRev(Loaded state) throws Exception {
        state.reader.scan(null, Store.Reader.ALL, Direction.BACKWARDS, state.begin(state.reach));
        return state.reach.digest();
    }

    @Benchmark
    public long readCrc(Loaded state) throws Exception {
        state.reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, state.begin(state.crc));
        return state.crc.digest();
    }

    @Benchmark
    public long readXxh64(Loaded state) throws Exception {
        state.reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, state.begin(state.xxh64));
        return state.xxh64.digest();
    }
}
