package kv.trial;

/** A store threw an Error, and cases are left: another JVM has to measure them. */
public final class SpentJvm extends RuntimeException {

    SpentJvm() {
        super("a store threw an Error, after which another JVM has to go on");
    }
}
