package kv.bench;

import kv.data.Data;
import kv.data.Entry;
import kv.store.Store;
import kv.store.Workload;
import kv.trial.Bench;
import kv.trial.Probe;
import kv.trial.Profile;
import kv.trial.Trial;

/** What is done with a database some time after its load: it is written over, or opened again, cold or not, and read. */
public final class Later {

    private static final int UNMAP_MILLIS = 50;
    private static final int OVERWRITES = 3;  // after which a database counts as aged

    private final Database database;
    private final Data data;
    private final Passes passes;
    private final Profile profile;
    private Long agedBytes;

    /** @param iterations measured passes of a workload, at most */
    public Later(Database database, Data data, Passes passes, Profile profile) {
        this.database = database;
        this.data = data;
        this.passes = passes;
        this.profile = profile;
    }

    /** Bytes of disk after the overwriting, closed; null before. */
    public Long agedBytes() {
        return agedBytes;
    }

    /** Writes every entry again, {@link #OVERWRITES} times at least, then closes the database, takes its size and opens it. */
    public Trial.Result overwrite() throws Exception {
        Passes.Pass pass = new Passes.Pass() {
            @Override
            public void before() {
                // Each pass finds what the last one left.
            }

            @Override
            public void timed() throws Exception {
                Entry entry = data.entry();
                try (Store.Writer writer = database.db().writer()) {
                    for (int position = data.shape.entries() - 1; position >= 0; position--) {
                        writer.put(entry.at(position));
                    }
                }
            }
        };
        Trial.Result result = passes.measure(Workload.OVERWRITE, profile.iterations, pass);
        for (int times = result.warmupNs().size() + result.iterationNs().size(); times < OVERWRITES; times++) {
            pass.timed();
        }
        Probe.awaitQuiet(profile.quietSeconds, Bench.QUIET_LIMIT_SECONDS);
        database.close();
        agedBytes = Probe.allocatedBytes(database.directory);
        database.open();
        return result;
    }

    /** Reads by key from a database that each pass opens first, cold or not. */
    public Trial.Result reopen(Workload workload, Sink sink) throws Exception {
        return passes.measure(workload, profile.iterations, new Passes.Pass() {
            @Override
            public void before() throws Exception {
                sink.reset();
                database.close();
                if (workload == Workload.READ_COLD) {
                    System.gc();  // a mapping that Java holds ends with its buffer, and what is mapped cannot be evicted
                    Thread.sleep(UNMAP_MILLIS);
                    Probe.evict(database.directory);
                }
            }

            @Override
            public boolean prepares() {
                return true;
            }

            @Override
            public void timed() throws Exception {
                database.open();
                try (Store.Reader reader = database.db().reader()) {
                    Bench.getAll(data, reader, sink);
                }
            }

            @Override
            public void after() {
                sink.check();
            }
        });
    }
}
