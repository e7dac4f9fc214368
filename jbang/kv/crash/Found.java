package kv.crash;

/**
 * What is left of a database: facts, of which others make a verdict.
 *
 * @param failed where it ended: "recover", "open", "read" or "write"; null where all of that went
 *     well
 * @param reason what the store said then; null where it did not fail
 * @param last number of the last transaction of which something is there; 0 for none
 * @param lost acknowledged transactions of which something is missing
 * @param holes transactions before the last of which nothing is there though something was written
 *     that nothing overwrote
 * @param torn transactions of which a part is there
 * @param wrong entries that came back with another value than any that was written, under another
 *     key, twice, or by a scan otherwise than by a get
 * @param example one of those, for people; null for none
 * @param openSeconds until it was open
 */
public record Found(
        String failed,
        String reason,
        int last,
        int lost,
        int holes,
        int torn,
        int wrong,
        String example,
        double openSeconds) {}
