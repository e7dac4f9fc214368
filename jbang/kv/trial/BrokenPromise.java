package kv.trial;

/** A store returned something else than its contract says, to what only {@link Promises} asks. */
final class BrokenPromise extends RuntimeException {

    BrokenPromise(String message) {
        super(message);
    }
}
