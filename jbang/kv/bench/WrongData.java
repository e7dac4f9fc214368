package kv.bench;

/** A store returned something else than was written. */
public final class WrongData extends RuntimeException {

    WrongData(String message) {
        super(message);
    }
}
