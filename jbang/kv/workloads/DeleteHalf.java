package kv.workloads;

import java.util.List;
import java.util.SplittableRandom;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/**
 * Delete half of the entries, chosen and ordered at random, of a database that is loaded and opened
 * again for each pass. Then the others have to be there, and these not.
 */
public final class DeleteHalf extends Workload {

    public DeleteHalf() {
        super(First.LOAD, Leaves.A_NEW_ONE);
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        Load load = new Write();
        Data data = passes.data;
        int[] positions = shuffled(data, new SplittableRandom(data.spec.seed()));
        int half = positions.length / 2;
        Measurement measured = passes.measure(this, new Passes.Pass() {
            @Override
            public void before() throws Exception {
                load.once(passes);
            }

            @Override
            public boolean prepares() {
                return true;
            }

            @Override
            public void timed() throws Exception {
                EntryFlyweight entry = data.entry();
                try (Store.Writer writer = passes.database.db().writer()) {
                    for (int turn = 0; turn < half; turn++) {
                        writer.delete(entry.at(positions[turn]));
                    }
                }
            }

            @Override
            public void after() throws Exception {
                Xxh64Sink due = new Xxh64Sink(data);
                Xxh64Sink got = new Xxh64Sink(data);
                EntryFlyweight entry = data.entry();
                try (Store.Reader reader = passes.database.db().reader()) {
                    for (int turn = 0; turn < positions.length; turn++) {
                        reader.get(entry.at(positions[turn]), got);
                        if (turn >= half) {
                            due.accept(entry);
                        }
                    }
                    reader.flush(got);
                }
                got.check(positions.length - half, due.digest(), List.of());
            }

            @Override
            public long entries() {
                return half;
            }
        });
        load.once(passes); // as what comes after it expects the database
        return measured;
    }

    /** Positions of all entries, in an order at random. */
    static int[] shuffled(Data data, SplittableRandom random) {
        int[] positions = new int[data.spec.entries()];
        for (int position = 0; position < positions.length; position++) {
            int other = random.nextInt(position + 1);
            positions[position] = positions[other];
            positions[other] = position;
        }
        return positions;
    }
}
