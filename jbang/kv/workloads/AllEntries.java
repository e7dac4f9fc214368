package kv.workloads;

import java.util.List;
import java.util.function.IntFunction;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/** Proves what a database holds, by an XXH64 of every key and value; never timed. */
final class AllEntries {

    private AllEntries() {}

    /**
     * Gets the first so many entries in the order of writing.
     *
     * @throws kv.bench.WrongData when one is missing, or has not the value that was written last
     */
    static void check(Store.Db db, Data data, int first) throws Exception {
        Xxh64Sink due = new Xxh64Sink(data);
        Xxh64Sink got = new Xxh64Sink(data);
        IntFunction<EntryFlyweight> newest = data.newest();
        try (Store.Reader reader = db.reader()) {
            for (int turn = 0; turn < data.spec.entries(); turn++) {
                int position = data.positionOfGet(turn);
                if (position < first) {
                    reader.get(newest.apply(position), got);
                    due.accept(newest.apply(position));
                }
            }
            reader.flush(got);
        }
        got.check(first, due.digest(), List.of());
    }
}
