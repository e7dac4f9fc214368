package kv.store;

import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * An option of a store. What is printed of it is what sets it: {@link StoreDescriptor#set} hands
 * the value to the library, unless the case wants the store as its vendor ships it. Where the
 * library tells what it runs with, the conformance test holds it to that.
 *
 * @param <V> type of the value, as the library takes it
 */
public final class Option<V> {

    private final String name;
    private final String value;
    private final String why;
    private final String link;
    // Not printed, and so not in a record
    private final transient Value<V> each;
    private transient Class<?> settable = Void.class;
    private transient BiConsumer<Object, V> setter;
    private transient Class<?> readable = Void.class;
    private transient Function<Object, V> getter;
    private transient V shipped;
    private transient boolean term;

    private Option(String name, Value<V> value, String why, String link) {
        this.name = name;
        this.value = value.words();
        this.why = why;
        this.link = link;
        this.each = value;
    }

    /**
     * An option.
     *
     * @param name as the vendor calls it
     * @param value as set here
     * @param why why it is set so, in a few words
     * @param link address of the vendor's documentation
     */
    public static <V> Option<V> of(String name, Value<V> value, String why, String link) {
        return new Option<>(name, value, why, link);
    }

    /** A way of using the store, by its own calls: there is nothing to set. */
    static Option<String> usage(String name, String value, String why, String link) {
        return new Option<>(name, Value.of(value), why, link);
    }

    /** Says how it is set, on what the store is opened with. */
    public <T> Option<V> sets(Class<T> on, BiConsumer<T, V> setter) {
        settable = on;
        this.setter = (options, v) -> setter.accept(on.cast(options), v);
        return this;
    }

    /**
     * Says how it is read, of what an open database tells: {@link Store.Db#configured()}; null
     * where that does not tell it.
     */
    public <T> Option<V> reads(Class<T> of, Function<T, V> getter) {
        readable = of;
        this.getter = told -> getter.apply(of.cast(told));
        return this;
    }

    /** Says what the vendor ships it with. */
    public Option<V> shipped(V value) {
        shipped = value;
        return this;
    }

    /**
     * Says that it is a term of the case, durability or compression or what the case's data need,
     * which a store as its vendor ships it keeps too.
     */
    public Option<V> term() {
        term = true;
        return this;
    }

    public String name() {
        return name;
    }

    public String value() {
        return value;
    }

    public String why() {
        return why;
    }

    public String link() {
        return link;
    }

    /** Sets it, where it is one of what these options hold and the case changes it. */
    void set(Object options, CaseSpec spec) {
        if (settable.isInstance(options) && (term || !spec.vendorDefaults())) {
            V now = each.in().apply(spec);
            if (now != null) {
                setter.accept(options, now);
            }
        }
    }

    /** Whether it is one of what this tells. */
    boolean isToldBy(Object told) {
        return readable.isInstance(told);
    }

    /** Whether an open database can tell it at all. */
    boolean isReadable() {
        return getter != null;
    }

    /**
     * Compares what is told with what is printed.
     *
     * @return what differs, a sentence; null for nothing
     */
    String difference(Object told, CaseSpec spec) {
        boolean asShipped = setter != null && !term && spec.vendorDefaults();
        V now = asShipped ? null : each.in().apply(spec);
        V due = now == null ? shipped : now;
        V found = getter.apply(told);
        return due == null || found == null || due.equals(found)
                ? null
                : name + " is " + found + " and not " + due + " in " + spec;
    }
}
