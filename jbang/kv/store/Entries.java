package kv.store;

/** Some entries of a data set, by their place among them: for a call that takes several at once. */
public interface Entries {

    /** How many. */
    int count();

    /**
     * The entry at a place, 0 to count - 1: one flyweight for all of them, valid until the next is
     * asked for.
     */
    Entry at(int place);
}
