package kv.store;

import java.util.function.Function;

/**
 * A value of an option: what it is in a case, and in words what it is in all of them.
 *
 * @param words as printed
 * @param in what is set in a case; null where that leaves the option as it is shipped
 */
public record Value<V>(String words, Function<CaseSpec, V> in) {

    /** The same in every case, printed as it is. */
    public static <V> Value<V> of(V constant) {
        return of(String.valueOf(constant), constant);
    }

    /** The same in every case. */
    public static <V> Value<V> of(String words, V constant) {
        return new Value<>(words, spec -> constant);
    }

    /** Something that depends on the case. */
    public static <V> Value<V> in(String words, Function<CaseSpec, V> in) {
        return new Value<>(words, in);
    }
}
