package kv;

import kv.bench.Database;
import kv.bench.Settle;
import kv.bench.Upkeep;

/**
 * Opens a database again where it is to settle, and does nothing else.
 *
 * @param evictMs how long dropping the page cache takes
 */
public record NoUpkeep(Database database, long evictMs) implements Upkeep {

    @Override
    public void evict() throws Exception {
        Thread.sleep(evictMs);
    }

    @Override
    public Settled settled() throws Exception {
        database.close();
        database.open();
        return new Settled(new Settle(0.0, 0, 0, 0, null, null), 0, 0);
    }

    @Override
    public long allocatedBytes() {
        return 0;
    }
}
