package kv.crash;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.Entry;

/**
 * What is written in which transaction, numbered from 1: about half of the entries are new, the
 * others overwrite one of an earlier transaction with another value. Who writes and who looks at
 * what is left make the same ledger of the same seed, and so never have to tell each other.
 */
public final class Ledger {

    /** Values that an entry may have one after another. */
    static final int GENERATIONS = 16;
    /** The value that an entry has when it was written after the crash. */
    static final int AFTERWARDS = GENERATIONS;
    /** What an entry that is not there has for a generation. */
    static final int ABSENT = -1;

    /** What decides the entries. */
    public final CaseSpec spec;

    private final ByteOrder intKeyOrder;
    private final Write[][] transactions;
    // A flyweight gives its key in one form and its value in one: stores have theirs
    private final EntryFlyweight[] given = new EntryFlyweight[GENERATIONS + 1];
    private final EntryFlyweight[] compared = new EntryFlyweight[GENERATIONS + 1];
    private final int positions;

    /**
     * An entry as a transaction writes it.
     *
     * @param position of the entry among those of the data, from 0
     * @param generation how often it was overwritten before
     */
    record Write(int position, int generation) {}

    /**
     * Draws the transactions.
     *
     * @param spec as many entries as all transactions write, and the seed
     * @param intKeyOrder as the store wants integer keys
     * @param batch entries of a transaction; divides the entries
     * @param overwrites whether entries are written more than once
     */
    public Ledger(CaseSpec spec, ByteOrder intKeyOrder, int batch, boolean overwrites) {
        this.spec = spec;
        this.intKeyOrder = intKeyOrder;
        makeEntries();
        SplittableRandom random = new SplittableRandom(spec.seed());
        int[] newest = new int[spec.entries()];
        int known = 0;
        transactions = new Write[spec.entries() / batch][batch];
        for (Write[] transaction : transactions) {
            int before = known;
            Set<Integer> used = new HashSet<>();
            for (int place = 0; place < batch; place++) {
                int position = known;
                if (overwrites && before > 0 && random.nextBoolean()) {
                    int old = random.nextInt(before);
                    if (newest[old] < GENERATIONS - 1 && used.add(old)) {
                        position = old;
                        newest[old]++;
                    }
                }
                known += position == known ? 1 : 0;
                transaction[place] = new Write(position, newest[position]);
            }
        }
        positions = known;
    }

    /** The same ledger with entries of its own, for another thread. */
    Ledger(Ledger other) {
        spec = other.spec;
        intKeyOrder = other.intKeyOrder;
        transactions = other.transactions;
        positions = other.positions;
        makeEntries();
    }

    private void makeEntries() {
        Data data = new Data(spec, intKeyOrder);
        for (int generation = 0; generation <= AFTERWARDS; generation++) {
            given[generation] = data.entry();
            compared[generation] = data.entry();
            data.renew();
        }
    }

    /** Number of transactions. */
    public int transactions() {
        return transactions.length;
    }

    /** Number of entries that differ in their keys: their positions are below it. */
    int positions() {
        return positions;
    }

    /** What a transaction writes, in words: the numbers of entries that are written again. */
    public String told(int number) {
        List<Integer> again = new ArrayList<>();
        for (Write write : transaction(number)) {
            if (write.generation() > 0) {
                again.add(write.position());
            }
        }
        return "transaction %d: %d new entries, again %s"
                .formatted(number, transaction(number).length - again.size(), again);
    }

    /** What a transaction writes. */
    Write[] transaction(int number) {
        return transactions[number - 1];
    }

    /** An entry to give to a store, valid until the next call. */
    Entry entry(int position, int generation) {
        return given[generation].at(position);
    }

    /** A copy of an entry's key. */
    ByteBuffer key(int position) {
        ByteBuffer key = due(position, 0).keyBuffer();
        return ByteBuffer.allocate(key.remaining()).put(key).flip();
    }

    /** Whether what was read of an entry is what a transaction wrote. */
    boolean isValue(Write write, Capture.Pair read) {
        EntryFlyweight entry = due(write.position(), write.generation());
        return entry.sameKey(ByteBuffer.wrap(read.key()))
                && entry.sameValue(ByteBuffer.wrap(read.value()));
    }

    /** An entry to compare with, valid until the next call. */
    EntryFlyweight due(int position, int generation) {
        return compared[generation].at(position);
    }
}
