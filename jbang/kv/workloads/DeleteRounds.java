package kv.workloads;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import kv.bench.Measurement;
import kv.bench.Observed;
import kv.bench.Passes;
import kv.bench.Upkeep;
import kv.bench.Workload;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Setting;
import kv.store.Store;

/**
 * Deletes half of the entries of a database that is loaded, and writes as many, so many times as
 * the case says. A pass is such a round: its time is that of the deletes and of the writes, each
 * with its commit. Between them, and after, what was deleted has to be gone, and what is there has
 * to have the bytes that were written last; then the database is closed, its disk blocks counted,
 * and opened again. The first round only warms up.
 */
public abstract class DeleteRounds extends Workload {

    private static final int ROUNDS = 3; // where the case does not say

    DeleteRounds(Leaves leaves) {
        super(First.LOAD, leaves);
    }

    /** The rounds of a database. */
    abstract Rounds rounds(Passes passes, int rounds);

    @Override
    public Measurement measure(Passes passes) throws Exception {
        int rounds = Math.max(2, passes.spec.count(Setting.ROUNDS, ROUNDS));
        return passes.measure(this, rounds(passes, rounds), 1, rounds - 1);
    }

    /** Rounds of one workload. */
    abstract static class Rounds implements Passes.Pass {

        final Data data;
        final int half;
        private final Passes passes;
        private final List<Observed.Round> made = new ArrayList<>();
        private long deleteNs;
        private long writeNs;

        Rounds(Passes passes) {
            this.passes = passes;
            this.data = passes.data;
            this.half = Math.max(1, data.spec.entries() / 2);
        }

        /** Deletes half of the entries. */
        abstract void delete(Store.Writer writer) throws Exception;

        /** Writes as many. */
        abstract void write(Store.Writer writer) throws Exception;

        /** Asks for entries, of which those deleted may not come. */
        abstract void checkDeleted(Store.Reader reader) throws Exception;

        /** Asks for what was written. */
        abstract void checkWritten(Store.Reader reader) throws Exception;

        @Override
        public final boolean prepares() {
            return true;
        }

        @Override
        public final void timed() throws Exception {
            long start = System.nanoTime();
            try (Store.Writer writer = passes.database.db().writer()) {
                delete(writer);
            }
            deleteNs = System.nanoTime() - start;
            passes.unclocked(() -> {
                try (Store.Reader reader = passes.database.db().reader()) {
                    checkDeleted(reader);
                }
                return null;
            });
            start = System.nanoTime();
            try (Store.Writer writer = passes.database.db().writer()) {
                write(writer);
            }
            writeNs = System.nanoTime() - start;
        }

        @Override
        public void after() throws Exception {
            try (Store.Reader reader = passes.database.db().reader()) {
                checkWritten(reader);
            }
            Upkeep.Settled settled = passes.upkeep.settled();
            made.add(new Observed.Round(
                    deleteNs, writeNs, settled.openBytes(), settled.closedBytes()));
        }

        /** Asks for some entries, of which those that are there have to come, each once. */
        final void check(
                Store.Reader reader,
                int asked,
                IntFunction<EntryFlyweight> at,
                IntPredicate isThere)
                throws Exception {
            Xxh64Sink due = new Xxh64Sink(data);
            Xxh64Sink got = new Xxh64Sink(data);
            for (int place = 0; place < asked; place++) {
                EntryFlyweight entry = at.apply(place);
                if (isThere.test(place)) {
                    due.accept(entry);
                }
                reader.get(entry, got);
            }
            reader.flush(got);
            got.check(due.count, due.digest(), List.of());
        }

        @Override
        public final long entries() {
            return 2L * half;
        }

        @Override
        public final Observed observed() {
            return Observed.rounds(made);
        }
    }
}
