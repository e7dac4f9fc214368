package kv;

/**
 * The shape of a data set: everything that decides its bytes, and all that a store may know beforehand.
 *
 * @param keys       kind of the keys
 * @param order      order of writing and of reading by key
 * @param entries    number of entries, at least 1
 * @param valueBytes bytes of every value, at least 1
 * @param seed       seed of the key order and of the value bytes
 */
public record Shape(KeyKind keys, Order order, int entries, int valueBytes, long seed) {

    public Shape {
        if (entries < 1) {
            throw new UserError("--entries must be at least 1, not " + entries);
        }
        if (valueBytes < 1) {
            throw new UserError("--value-bytes must be at least 1, not " + valueBytes);
        }
        if ((long) entries * keys.bytes > Integer.MAX_VALUE) {
            throw new UserError(entries + " keys of " + keys.bytes + " bytes do not fit the 2 GiB kept for keys; use fewer entries");
        }
    }

    /** True when keys arrive in ascending order, so that a store may append. */
    public boolean sequential() {
        return order == Order.SEQUENTIAL;
    }

    /** True for 4-byte integer keys. */
    public boolean intKeys() {
        return keys == KeyKind.INT;
    }

    /** Bytes of one key and its value. */
    public int entryBytes() {
        return keys.bytes + valueBytes;
    }

    /** Size in bytes of the flat array that holds the same data: the physical limit of space. */
    public long flatBytes() {
        return (long) entries * entryBytes();
    }
}
