package kv.workloads;

import java.util.function.IntFunction;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/**
 * Delete the half of the entries that was written first, and write as many under keys that are new:
 * a window that moves, as where entries expire. What comes after it finds a new database.
 */
public final class Expire extends DeleteRounds {

    public Expire() {
        super(Leaves.A_NEW_ONE);
    }

    @Override
    Rounds rounds(Passes passes, int rounds) {
        return new Window(passes, rounds);
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        Measurement measured = super.measure(passes);
        new Write().once(passes); // as what comes after it expects the database
        return measured;
    }

    private static final class Window extends Rounds {

        private final int entries;
        private final Data later;
        private int from; // the first that is there, of these entries and then of the later ones

        Window(Passes passes, int rounds) {
            super(passes);
            this.entries = data.spec.entries();
            this.later = data.absent(rounds * half);
        }

        /** Entries by their place among all that are ever written. */
        private IntFunction<EntryFlyweight> all() {
            IntFunction<EntryFlyweight> first = data.newest();
            EntryFlyweight then = later.entry();
            return place -> place < entries ? first.apply(place) : then.at(place - entries);
        }

        @Override
        void delete(Store.Writer writer) throws Exception {
            IntFunction<EntryFlyweight> all = all();
            for (int turn = 0; turn < half; turn++) {
                writer.delete(all.apply(from + turn));
            }
        }

        @Override
        void write(Store.Writer writer) throws Exception {
            IntFunction<EntryFlyweight> all = all();
            for (int turn = 0; turn < half; turn++) {
                writer.put(all.apply(from + entries + turn));
            }
        }

        @Override
        void checkDeleted(Store.Reader reader) throws Exception {
            IntFunction<EntryFlyweight> all = all();
            check(reader, entries, turn -> all.apply(from + turn), turn -> turn >= half);
        }

        @Override
        void checkWritten(Store.Reader reader) throws Exception {
            from += half;
            IntFunction<EntryFlyweight> all = all();
            check(reader, half, turn -> all.apply(from + entries - half + turn), turn -> true);
        }
    }
}
