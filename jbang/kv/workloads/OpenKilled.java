package kv.workloads;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import kv.bench.Database;
import kv.bench.Measurement;
import kv.bench.Passes;
import kv.bench.Workload;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Unavailable;

/**
 * Open what is left of a database whose process was killed, and get an entry: a copy of its files,
 * taken while it was open, a tenth of its entries were overwritten since, in committed batches, and
 * a last batch was begun. The system has in its files what it would have after a kill, as it keeps
 * the pages that a process leaves. Each pass opens another copy; all that was committed has to be
 * there.
 */
public final class OpenKilled extends Workload {

    private static final int OVERWRITTEN = 10; // one entry in so many
    private static final int MOST_COPIES = 3;

    public OpenKilled() {
        super(First.LOAD, Leaves.THE_SAME);
    }

    @Override
    public boolean reopens() {
        return true;
    }

    @Override
    public boolean outlivesProcess() {
        return true;
    }

    @Override
    public Measurement measure(Passes passes) throws Exception {
        Path place = passes.database.directory;
        Path kept = place.resolveSibling(place.getFileName() + "-killed");
        Database left = passes.database.at(place.resolveSibling(place.getFileName() + "-left"));
        try {
            copyThatOpens(passes, kept, left);
            Measurement measured = passes.measure(this, new OpenPass(left, passes.data) {
                @Override
                void whileClosed() throws IOException {
                    Database.delete(left.directory); // opened, it is a killed one's no more
                    SparseCopy.of(kept, left.directory);
                }
            });
            AllEntries.check(left.db(), passes.data, passes.spec.entries());
            return measured;
        } finally {
            left.remove();
            Database.delete(kept);
        }
    }

    /**
     * Copies the files until they open: a copy is not of one moment, as what a kill leaves is, and
     * of a store that merges files meanwhile one may have half of a merge.
     */
    private static void copyThatOpens(Passes passes, Path kept, Database left) throws Exception {
        for (int copies = 1; ; copies++) {
            copyUnfinished(passes, kept);
            try {
                tryOut(left, kept);
                AllEntries.check(left.db(), passes.data, passes.spec.entries());
                return;
            } catch (WrongData | Unavailable torn) {
                if (copies == MOST_COPIES) {
                    throw torn;
                }
            } catch (Exception torn) {
                if (copies == MOST_COPIES) {
                    throw new Unavailable("does not open after a kill: " + torn.getMessage());
                }
            }
            left.remove();
            Database.delete(kept);
        }
    }

    /** Copies the files between two puts of a batch, which then is committed. */
    private static void copyUnfinished(Passes passes, Path copy) throws Exception {
        Data data = passes.data;
        EntryFlyweight entry = data.entry();
        Overwrites overwrites = data.overwrites();
        SplittableRandom random = new SplittableRandom(data.spec.seed());
        int entries = data.spec.entries();
        try (var writer = new CommittedWriter(passes.database.db())) {
            for (int number = 1; number <= Math.max(1, entries / OVERWRITTEN); number++) {
                int position = random.nextInt(entries);
                overwrites.acknowledge(position);
                writer.put(entry.at(position, overwrites.times(position)));
                if (number % CommittedWriter.BATCH == 0) {
                    writer.commit();
                }
            }
            writer.commit();
            for (int unfinished = CommittedWriter.BATCH / 2; unfinished > 0; unfinished--) {
                // The value that it has: whether it is there after a kill or not, it is right
                int position = random.nextInt(entries);
                writer.put(entry.at(position, overwrites.times(position)));
            }
            SparseCopy.of(passes.database.directory, copy);
        }
    }

    /**
     * Opens a copy once.
     *
     * @throws Unavailable when the store does not open it, saying why
     */
    private static void tryOut(Database left, Path kept) throws Exception {
        SparseCopy.of(kept, left.directory);
        try {
            left.open();
        } catch (Exception refused) {
            String reason =
                    String.valueOf(refused.getMessage()).lines().findFirst().orElse("");
            throw new Unavailable(
                    "does not open after a kill: " + reason.replace(left.directory + "/", ""));
        }
    }
}
