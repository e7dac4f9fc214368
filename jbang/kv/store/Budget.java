package kv.store;

/**
 * The memory that a case grants a store, as the LevelDB page does: "4" is 4 MB, half of it write
 * buffer; "128-writes" is 128 MB, 8 of them cache; "128-reads" is 128 MB, 8 of them write buffer
 * (exhibits C01, C13, C15).
 *
 * @param cacheBytes for what was read
 * @param writeBufferBytes for what was written and is not yet in its place
 */
public record Budget(long cacheBytes, long writeBufferBytes) {

    private static final long MB = 1L << 20;
    private static final long LESSER_PART = 8 * MB;

    /** From the value of {@link Setting#MEMORY}. */
    static Budget of(String value) {
        long bytes = Long.parseLong(value.replaceAll("\\D", "")) * MB;
        long less = value.contains("-") ? LESSER_PART : bytes / 2;
        return value.endsWith("-writes")
                ? new Budget(less, bytes - less)
                : new Budget(bytes - less, less);
    }

    /** Both together: for a store that has one cache for what it reads and writes. */
    public long bytes() {
        return cacheBytes + writeBufferBytes;
    }
}
