package kv.data;

import kv.store.Entries;
import kv.store.Entry;

/** Entries of a data set by their positions in the order of writing. */
final class Positions implements Entries {

    private final EntryFlyweight entry;
    private final int[] positions;

    Positions(EntryFlyweight entry, int[] positions) {
        this.entry = entry;
        this.positions = positions;
    }

    @Override
    public int count() {
        return positions.length;
    }

    @Override
    public Entry at(int place) {
        return entry.at(positions[place]);
    }
}
