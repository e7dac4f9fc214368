package kv.bench;

/** A store returned something else than was written. */
public final class WrongData extends RuntimeException {

    public WrongData(String message) {
        super(message);
    }
}
