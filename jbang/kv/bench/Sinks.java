package kv.bench;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.IntFunction;
import kv.bench.VerifyingSink.Mode;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.Workload;

/** Makes the sinks for a data set, and knows what each of them has to have digested in the end. */
public final class Sinks {

    private final Data data;
    private final Map<Mode, Long> expected = new EnumMap<>(Mode.class);
    private long state; // of the values that these are of

    public Sinks(Data data) {
        this.data = data;
    }

    /** A sink that digests what it is given. */
    public VerifyingSink digesting(Workload.Digest digest) {
        return sink(Mode.valueOf(digest.name()));
    }

    /**
     * A sink that compares every entry with what was written, in the order in which a workload
     * reads: never timed.
     */
    VerifyingSink comparing(Workload workload) {
        return sink(
                switch (workload) {
                    case READ_SEQ -> Mode.VERIFY_ASCENDING;
                    case READ_REV -> Mode.VERIFY_DESCENDING;
                    default -> Mode.VERIFY_GOT;
                });
    }

    VerifyingSink sink(Mode mode) {
        return new VerifyingSink(data, mode, this);
    }

    /** Computes what is expected of a digest now, before anything is timed. */
    void prepare(Workload.Digest digest) {
        expected(Mode.valueOf(digest.name()));
    }

    /** What a sink's digest must be after it was given all entries in ascending order. */
    long expected(Mode mode) {
        if (state != data.state()) {
            state = data.state();
            expected.clear();
        }
        return expected.computeIfAbsent(mode, m -> {
            VerifyingSink sink = sink(m);
            IntFunction<EntryFlyweight> newest = data.newest();
            for (int rank = 0; rank < data.spec.entries(); rank++) {
                EntryFlyweight entry = newest.apply(data.positionOfRank(rank));
                sink.accept(
                        entry.keyAddress(),
                        entry.keyBytes(),
                        entry.valueAddress(),
                        entry.valueBytes());
            }
            return sink.digest();
        });
    }
}
