package kv.workloads;

import java.util.stream.IntStream;
import kv.bench.Passes;
import kv.bench.Team;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Store;

/**
 * A reader for each thread of a {@link Mix}: one that is kept, where it sees what was written since
 * it was opened; where it has a snapshot, a new one for each operation.
 */
final class MixReaders implements AutoCloseable {

    private final Team team;
    private final Store.Reader[] kept; // none, or null, where each operation opens one
    private final MixReader[] readers;

    MixReaders(Passes passes) throws Exception {
        team = passes.team;
        Store.Db db = passes.database.db();
        kept = new Store.Reader[team.size];
        team.run(thread -> kept[thread] = db.reader());
        if (!seesWhatIsWritten(db, passes.data)) {
            close();
        }
        readers = IntStream.range(0, team.size)
                .mapToObj(thread -> kept[thread] == null
                        ? MixReader.opening(db)
                        : MixReader.keeping(kept[thread]))
                .toArray(MixReader[]::new);
    }

    MixReader of(int thread) {
        return readers[thread];
    }

    /** Whether a reader that is open, and has read, sees what another thread writes then. */
    private boolean seesWhatIsWritten(Store.Db db, Data data) throws Exception {
        NotingSink sink = new NotingSink(data, 2);
        EntryFlyweight entry = data.newest().apply(0);
        team.run(thread -> readFirst(thread, entry, sink));
        Overwrites overwrites = data.overwrites();
        try (Store.Writer writer = db.writer()) {
            writer.put(data.entry().at(0, overwrites.times(0) + 1));
        }
        overwrites.acknowledge(0);
        team.run(thread -> readFirst(thread, entry, sink));
        return sink.noted() == 2 && sink.note(1) == NotingSink.of(data.newest().apply(0));
    }

    private void readFirst(int thread, EntryFlyweight entry, NotingSink sink) throws Exception {
        if (thread == 0) {
            MixReader.keeping(kept[0]).get(entry, sink);
        }
    }

    @Override
    public void close() throws Exception {
        team.run(thread -> {
            if (kept[thread] != null) {
                kept[thread].close();
                kept[thread] = null;
            }
        });
    }
}
