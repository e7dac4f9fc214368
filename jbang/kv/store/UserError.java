package kv.store;

/** A mistake of the user's: its message is one sentence that says what is wrong and what to do. */
public final class UserError extends RuntimeException {

    public UserError(String message) {
        super(message, null, false, false);
    }
}
