package kv;

import kv.bench.Cost;
import kv.bench.CostMeter;

/** Adds up nothing. */
public final class NoCosts implements CostMeter {

    @Override
    public void begin() {}

    @Override
    public void resume() {}

    @Override
    public void pause() {}

    @Override
    public Cost total() {
        return Cost.ofCollection(0L);
    }
}
