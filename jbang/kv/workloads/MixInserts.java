package kv.workloads;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/**
 * The entries that a {@link Mix} inserts, none of which is there before a pass; each thread has
 * those of its own.
 */
final class MixInserts {

    private static final int NOT_YET = Integer.MAX_VALUE;

    private final Data absent; // null where none is inserted
    private final int[] firsts;
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final int[] turns; // in which each was acknowledged
    private final boolean[] deleted; // since then, or about to be

    MixInserts(Data data, MixDraw[] draws) {
        firsts = new int[draws.length + 1];
        for (int thread = 0; thread < draws.length; thread++) {
            firsts[thread + 1] = firsts[thread] + draws[thread].inserts;
        }
        turns = new int[firsts[draws.length]];
        deleted = new boolean[turns.length];
        absent = turns.length == 0 ? null : data.absent(turns.length);
    }

    /** How many there are. */
    int count() {
        return turns.length;
    }

    /** The entry that a thread inserts first. */
    int first(int thread) {
        return firsts[thread];
    }

    /** A flyweight onto them; null where there are none. */
    EntryFlyweight entry() {
        return absent == null ? null : absent.entry();
    }

    /** Which of them comes {@code rank}-th in the order of keys. */
    int ofRank(int rank) {
        return absent.positionOfRank(rank);
    }

    /** How many were acknowledged in this pass so far. */
    int acknowledged() {
        return acknowledged.get();
    }

    /** The store has acknowledged one. */
    void acknowledge(int insert) {
        turns[insert] = acknowledged.getAndIncrement();
    }

    /** The store has acknowledged that one was deleted. */
    void deleted(int insert) {
        deleted[insert] = true;
    }

    /** Whether one has been deleted in this pass. */
    boolean isDeleted(int insert) {
        return deleted[insert];
    }

    /** Whether one was there when so many had been acknowledged. */
    boolean wasThere(int insert, int acknowledgedThen) {
        return turns[insert] < acknowledgedThen;
    }

    /**
     * Takes out those that are there.
     *
     * @throws kv.store.Unavailable where the store cannot delete
     */
    void remove(Store.Db db) throws Exception {
        if (absent != null) {
            EntryFlyweight entry = absent.entry();
            try (Store.Writer writer = db.writer()) {
                for (int insert = 0; insert < turns.length; insert++) {
                    writer.delete(entry.at(insert));
                }
            }
        }
        acknowledged.set(0);
        Arrays.fill(turns, NOT_YET);
        Arrays.fill(deleted, false);
    }
}
