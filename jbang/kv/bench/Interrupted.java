package kv.bench;

/** The user stopped the measurement: not a result. */
public final class Interrupted extends RuntimeException {

    public Interrupted() {
        super("stopped; what was measured before is kept");
    }
}
