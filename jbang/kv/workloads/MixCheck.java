package kv.workloads;

import java.util.stream.IntStream;
import kv.bench.WrongData;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.data.Overwrites;
import kv.store.Store;

/**
 * Proves of a pass of a {@link Mix} that each read gave what was acknowledged before it began or
 * what was put since, that each scan gave all that it had to, in order, and that what was written
 * is there in the end.
 */
final class MixCheck {

    private final Data data;
    private final int loaded;
    private final Overwrites overwrites;
    private final MixInserts inserts;
    private final EntryFlyweight entry;
    private final EntryFlyweight inserted;
    private final int[] atFirst; // times that each entry was overwritten before the pass
    // Loaded entries, then inserts, in the order of keys, and where each loaded one is among them;
    // null where nothing is scanned
    private int[] ordered;
    private int[] places;

    MixCheck(Data data, MixInserts inserts, boolean scans) {
        this.data = data;
        this.loaded = data.spec.entries();
        this.overwrites = data.overwrites();
        this.inserts = inserts;
        this.entry = data.entry();
        this.inserted = inserts.entry();
        this.atFirst = new int[loaded];
        if (scans) {
            order();
        }
    }

    private void order() {
        ordered = new int[loaded + inserts.count()];
        places = new int[loaded];
        int rank = 0;
        for (int other = 0, place = 0; place < ordered.length; place++) {
            int position = rank < loaded ? data.positionOfRank(rank) : -1;
            int insert = other < inserts.count() ? inserts.ofRank(other) : -1;
            if (insert < 0
                    || position >= 0
                            && entry.at(position).number() < inserted.at(insert).number()) {
                ordered[place] = position;
                places[position] = place;
                rank++;
            } else {
                ordered[place] = loaded + insert;
                other++;
            }
        }
    }

    /** A pass begins. */
    void begin() {
        for (int position = 0; position < loaded; position++) {
            atFirst[position] = overwrites.times(position);
        }
    }

    /**
     * Checks what a thread noted in the pass, and reads what it wrote.
     *
     * @param first insert of that thread
     * @throws WrongData when something else came back
     */
    void check(MixDraw draw, NotingSink sink, int first, Store.Reader reader) throws Exception {
        int from = 0;
        for (int turn = 0; turn < draw.kinds.length; turn++) {
            int to = draw.came[turn];
            int item = draw.items[turn] < loaded ? draw.items[turn] : draw.items[turn] + first;
            switch (draw.kinds[turn]) {
                case READ, FLOOR, MODIFY -> checkGet(item, draw.known[turn], sink, from, to);
                case SCAN -> checkScan(item, draw.limits[turn], draw.known[turn], sink, from, to);
                default -> {}
            }
            switch (draw.kinds[turn]) {
                case UPDATE, MODIFY, INSERT, DELETE -> checkWritten(item, reader);
                default -> {}
            }
            from = to;
        }
    }

    private void checkGet(int item, int known, NotingSink sink, int from, int to) {
        if (to - from != 1) {
            throw new WrongData("a get gave " + (to - from) + " entries instead of " + at(item));
        }
        if (!matches(item, known, sink.note(from))) {
            throw new WrongData(
                    "a get gave neither what was acknowledged before it nor what was put since, of "
                            + at(item));
        }
    }

    /** Entries that are inserted meanwhile may be among those that came. */
    private void checkScan(int item, int limit, int known, NotingSink sink, int from, int to) {
        int place = places[item];
        for (int next = from; next < to; place++) {
            if (place == ordered.length) {
                throw new WrongData("a scan gave an entry beyond the last");
            }
            int due = ordered[place];
            if (matches(due, due < loaded ? atFirst[due] : 0, sink.note(next))) {
                next++;
            } else {
                allowMissing(due, known);
            }
        }
        for (; to - from < limit && place < ordered.length; place++) {
            allowMissing(ordered[place], known);
        }
    }

    private void allowMissing(int due, int known) {
        boolean may = due >= loaded
                && (inserts.isDeleted(due - loaded) || !inserts.wasThere(due - loaded, known));
        if (!may) {
            throw new WrongData("a scan left out, or gave otherwise, " + at(due));
        }
    }

    /** Whether a note is that of an entry when it had been overwritten so many times, or more. */
    private boolean matches(int item, int known, long note) {
        if (item >= loaded) {
            return NotingSink.of(at(item)) == note;
        }
        return IntStream.rangeClosed(known, overwrites.times(item))
                .anyMatch(times -> NotingSink.of(entry.at(item, times)) == note);
    }

    private void checkWritten(int item, Store.Reader reader) throws Exception {
        NotingSink sink = new NotingSink(data, 1);
        reader.get(at(item), sink);
        reader.flush(sink);
        if (item >= loaded && inserts.isDeleted(item - loaded)) {
            if (sink.noted() > 0) {
                throw new WrongData("what was deleted is there: " + at(item));
            }
        } else if (sink.noted() != 1 || sink.note(0) != NotingSink.of(at(item))) {
            throw new WrongData("what was put last is not there: " + at(item));
        }
    }

    /** An entry as it was written last. */
    private EntryFlyweight at(int item) {
        return item < loaded ? entry.at(item, overwrites.times(item)) : inserted.at(item - loaded);
    }
}
