package kv.workloads;

import java.util.function.BooleanSupplier;
import kv.data.Data;

/**
 * What one thread does of a pass: turns from {@code from} to before {@code to}.
 *
 * @param thread its number
 * @param stopped whether another thread has failed, and this one is to end
 */
record Share(Data data, int thread, int from, int to, BooleanSupplier stopped) {

    /** All that there is, in one thread. */
    static Share whole(Data data) {
        return new Share(data, 0, 0, data.spec.entries(), () -> false);
    }

    boolean isStopped() {
        return stopped.getAsBoolean();
    }
}
