package kv.crash;

import java.nio.file.Path;
import kv.store.Store;
import kv.store.Unavailable;

/**
 * Commits a ledger's transactions one after another and says of each that it is committed, which is
 * what a user would rely on: once the store's call has returned, and not before.
 */
public final class Commits {

    /** Who is told what is committed. */
    public interface Listener {

        /**
         * Hears that a transaction is committed, before the next one begins.
         *
         * @param number of the transaction; 0 at first, when the database is open
         */
        void acknowledged(int number) throws Exception;
    }

    private final Store store;
    private final Ledger ledger;

    public Commits(Store store, Ledger ledger) {
        this.store = store;
        this.ledger = ledger;
    }

    /**
     * Commits all of them.
     *
     * @param directory exists and is empty
     * @throws Exception what the store throws, or who listens
     */
    public void run(Path directory, Listener listener) throws Exception {
        try (Store.Db db = store.open(directory, ledger.spec)) {
            listener.acknowledged(0);
            Store.Writer writer = db.writer();
            for (int number = 1; number <= ledger.transactions(); number++) {
                for (Ledger.Write write : ledger.transaction(number)) {
                    writer.put(ledger.entry(write.position(), write.generation()));
                }
                writer = committed(db, writer);
                listener.acknowledged(number);
            }
            writer.close();
        }
    }

    /** The writer to go on with: another where a store commits by closing it. */
    static Store.Writer committed(Store.Db db, Store.Writer writer) throws Exception {
        try {
            writer.commit();
            return writer;
        } catch (Unavailable none) {
            writer.close();
            return db.writer();
        }
    }
}
