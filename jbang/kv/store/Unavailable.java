package kv.store;

/**
 * What a store cannot do here, or as this case asks: the JDK, the machine or the library lacks it.
 * A row that says n/a, with the reason.
 */
public final class Unavailable extends RuntimeException {

    public Unavailable(String reason) {
        super(reason);
    }
}
