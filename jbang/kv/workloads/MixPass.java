package kv.workloads;

import java.util.Arrays;
import java.util.stream.IntStream;
import kv.bench.OperationTimes;
import kv.bench.Passes;
import kv.bench.Team;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Direction;
import kv.store.Store;
import kv.workloads.Mix.Kind;
import org.HdrHistogram.Histogram;

/**
 * One pass of a {@link Mix}: each thread does its operations, drawn before, one after the other.
 * What is read is noted, and checked when the clock has stopped.
 */
final class MixPass implements Passes.Pass, AutoCloseable {

    private static final long HIGHEST_NS = 3_600_000_000_000L; // what takes longer counts as that

    private final Store.Db db;
    private final Data data;
    private final Team team;
    private final int operations;
    private final int loaded;
    private final MixDraw[] draws;
    private final NotingSink[] sinks;
    private final long[] began; // of each thread, in ns
    private final MixInserts inserts;
    private final Overwrites overwrites;
    private final MixReaders readers;
    private final MixCheck check;
    private final Histogram times = new Histogram(HIGHEST_NS, OperationTimes.DIGITS);

    MixPass(Mix.Recipe recipe, int operations, Passes passes) throws Exception {
        this.db = passes.database.db();
        this.data = passes.data;
        this.team = passes.team;
        this.operations = operations;
        this.loaded = data.spec.entries();
        this.draws = IntStream.range(0, team.size)
                .mapToObj(thread -> new MixDraw(
                        recipe,
                        data.spec,
                        thread,
                        team.size,
                        team.share(thread + 1, operations) - team.share(thread, operations)))
                .toArray(MixDraw[]::new);
        this.sinks = Arrays.stream(draws)
                .map(draw -> new NotingSink(data, draw.room))
                .toArray(NotingSink[]::new);
        this.began = new long[team.size];
        this.inserts = new MixInserts(data, draws);
        this.overwrites = data.overwrites();
        tryOut(recipe);
        this.readers = new MixReaders(passes);
        this.check = new MixCheck(data, inserts, recipe.has(Kind.SCAN));
    }

    /**
     * Asks for what the store may lack, before it has written anything.
     *
     * @throws kv.store.Unavailable where it does
     */
    private void tryOut(Mix.Recipe recipe) throws Exception {
        inserts.remove(db);
        if (recipe.has(Kind.SCAN)) {
            MixReader.opening(db)
                    .scan(data.entry().at(0), 1, Direction.FORWARDS, new NotingSink(data, 1));
        }
        if (recipe.has(Kind.FLOOR)) {
            MixReader.opening(db)
                    .scan(data.entry().at(0), 1, Direction.BACKWARDS, new NotingSink(data, 1));
        }
    }

    @Override
    public long entries() {
        return operations;
    }

    @Override
    public void before() {
        Arrays.stream(sinks).forEach(NotingSink::reset);
        check.begin();
    }

    /** What is checked afterwards costs as much as what is timed. */
    @Override
    public boolean prepares() {
        return true;
    }

    @Override
    public void timed() throws Exception {
        team.run(this::operate);
    }

    private void operate(int thread) throws Exception {
        MixDraw draw = draws[thread];
        MixReader reader = readers.of(thread);
        NotingSink sink = sinks[thread];
        Flyweights read = new Flyweights(thread);
        Flyweights written =
                new Flyweights(thread); // in another form than readers ask for, perhaps
        began[thread] = System.nanoTime();
        for (int turn = 0; turn < draw.kinds.length && !team.stopped(); turn++) {
            int item = draw.items[turn];
            switch (draw.kinds[turn]) {
                case READ -> {
                    draw.known[turn] = item < loaded ? overwrites.times(item) : 0;
                    reader.get(read.at(item), sink);
                }
                case UPDATE -> update(item, written);
                case INSERT -> insert(item, written);
                case DELETE -> delete(item, written);
                case SCAN -> {
                    draw.known[turn] = inserts.acknowledged();
                    reader.scan(read.at(item), draw.limits[turn], Direction.FORWARDS, sink);
                }
                case FLOOR -> {
                    draw.known[turn] = overwrites.times(item);
                    reader.scan(read.at(item), 1, Direction.BACKWARDS, sink);
                }
                case MODIFY -> {
                    draw.known[turn] = overwrites.times(item);
                    reader.get(read.at(item), sink);
                    update(item, written);
                }
            }
            draw.came[turn] = sink.noted();
            draw.ended[turn] = System.nanoTime();
        }
    }

    private void update(int item, Flyweights written) throws Exception {
        try (Store.Writer writer = db.writer()) {
            writer.put(written.entry.at(item, overwrites.times(item) + 1));
        }
        overwrites.acknowledge(item);
    }

    private void insert(int item, Flyweights written) throws Exception {
        try (Store.Writer writer = db.writer()) {
            writer.put(written.at(item));
        }
        inserts.acknowledge(item - loaded + written.first);
    }

    private void delete(int item, Flyweights written) throws Exception {
        try (Store.Writer writer = db.writer()) {
            writer.delete(written.at(item));
        }
        inserts.deleted(item - loaded + written.first);
    }

    /** Onto entries that were loaded, and onto those that a thread inserts. */
    private final class Flyweights {

        final EntryFlyweight entry = data.entry();
        final EntryFlyweight inserted = inserts.entry();
        final int first;

        Flyweights(int thread) {
            first = inserts.first(thread);
        }

        /** The one of a key that is read or inserted. */
        EntryFlyweight at(int item) {
            return item < loaded ? entry.at(item) : inserted.at(item - loaded + first);
        }
    }

    /** Checks all threads' operations, and leaves no entry that was inserted. */
    @Override
    public void after() throws Exception {
        try (Store.Reader reader = db.reader()) {
            for (int thread = 0; thread < team.size; thread++) {
                check.check(draws[thread], sinks[thread], inserts.first(thread), reader);
            }
        }
        inserts.remove(db);
        for (int thread = 0; thread < team.size; thread++) {
            long last = began[thread];
            for (long ended : draws[thread].ended) {
                times.recordValue(Math.min(ended - last, HIGHEST_NS));
                last = ended;
            }
        }
    }

    @Override
    public void warmedUp() {
        times.reset();
    }

    @Override
    public OperationTimes operations() {
        return new OperationTimes(times, null);
    }

    @Override
    public void close() throws Exception {
        readers.close();
    }
}
