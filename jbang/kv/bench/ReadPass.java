package kv.bench;

import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Direction;
import kv.store.Store;
import kv.store.Workload;

/** Reads every entry in one thread: by key, or by one scan. */
final class ReadPass implements Passes.Pass {

    private final Data data;
    private final Store.Reader reader;
    private final Workload workload;
    private final VerifyingSink sink;
    private final OperationTimer timer;

    /** @param timer where each get is timed; null: none is */
    ReadPass(
            Data data,
            Store.Reader reader,
            Workload workload,
            VerifyingSink sink,
            OperationTimer timer) {
        this.data = data;
        this.reader = reader;
        this.workload = workload;
        this.sink = sink;
        this.timer = timer;
    }

    @Override
    public void before() {
        sink.reset();
    }

    @Override
    public void timed() throws Exception {
        if (timer == null) {
            readAll(data, reader, workload, sink);
        } else {
            EntryFlyweight entry = data.entry();
            timer.run(
                    data.spec.entries(),
                    turn -> reader.get(entry.at(data.positionOfGet(turn)), sink));
            reader.flush(sink);
        }
    }

    /** Of single gets as fast as they go: a rate at which they are due would only make it long. */
    @Override
    public void warmUp() throws Exception {
        if (timer == null) {
            timed();
        } else {
            EntryFlyweight entry = data.entry();
            for (int turn = 0, entries = data.spec.entries(); turn < entries; turn++) {
                timer.time(0, turn, at -> reader.get(entry.at(data.positionOfGet(at)), sink));
            }
            reader.flush(sink);
        }
    }

    static void readAll(Data data, Store.Reader reader, Workload workload, VerifyingSink sink)
            throws Exception {
        switch (workload) {
            case READ_KEY, READ_KEY_XXH64, READ_KEY_AGED -> getAll(data, reader, sink);
            case READ_KEY_WRITTEN -> getAllAsWritten(data, reader, sink);
            case READ_REV -> reader.scan(null, Store.Reader.ALL, Direction.BACKWARDS, sink);
            default -> reader.scan(null, Store.Reader.ALL, Direction.FORWARDS, sink);
        }
    }

    /** Gets every entry by its key, in the order of getting. */
    static void getAll(Data data, Store.Reader reader, VerifyingSink sink) throws Exception {
        EntryFlyweight entry = data.entry();
        for (int turn = 0, entries = data.spec.entries(); turn < entries; turn++) {
            reader.get(entry.at(data.positionOfGet(turn)), sink);
        }
        reader.flush(sink);
    }

    private static void getAllAsWritten(Data data, Store.Reader reader, VerifyingSink sink)
            throws Exception {
        EntryFlyweight entry = data.entry();
        for (int position = 0, entries = data.spec.entries(); position < entries; position++) {
            reader.get(entry.at(position), sink);
        }
        reader.flush(sink);
    }

    @Override
    public void after() {
        sink.check();
    }

    @Override
    public OperationTimer timer() {
        return timer;
    }
}
