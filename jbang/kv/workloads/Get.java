package kv.workloads;

import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Store;

/** Gets every entry by its key. */
public abstract class Get extends Read {

    Get(First first) {
        super(first);
    }

    @Override
    boolean readsAll() {
        return false;
    }

    /** Which entry is got in a turn. */
    int position(Data data, int turn) {
        return data.positionOfGet(turn);
    }

    @Override
    void read(Store.Reader reader, VerifyingSink sink, Share share, OperationTimer timer)
            throws Exception {
        if (timer == null) {
            getAll(reader, sink, share);
        } else {
            EntryFlyweight entry = share.data().entry();
            timer.run(share, turn -> reader.get(entry.at(position(share.data(), turn)), sink));
        }
        reader.flush(sink);
    }

    private void getAll(Store.Reader reader, VerifyingSink sink, Share share) throws Exception {
        Data data = share.data();
        EntryFlyweight entry = data.entry();
        for (int turn = share.from(), end = share.to(); turn < end && !share.isStopped(); turn++) {
            reader.get(entry.at(position(data, turn)), sink);
        }
    }
}
