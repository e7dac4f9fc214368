package kv.crash;

import java.nio.file.Path;
import java.util.List;
import kv.store.Store;

/**
 * How long a database takes until it can be read: opened, and the entry got that was committed
 * last.
 *
 * @param failed why it could not be; null where it could
 * @param seconds what it took, a recovery call included where there was one
 * @param found whether that entry was there, with its last value
 */
public record Reopening(String failed, double seconds, boolean found) {

    /**
     * Opens a database once.
     *
     * @param recovery called first; null for none
     * @param ledger all of whose transactions were committed
     */
    public static Reopening of(Store store, Recovery recovery, Ledger ledger, Path directory) {
        Ledger.Write last = ledger.transaction(ledger.transactions())[0];
        Capture capture = new Capture();
        long begun = System.nanoTime();
        double seconds;
        try {
            if (recovery != null) {
                recovery.recover(directory, ledger.spec);
            }
            try (Store.Db db = store.open(directory, ledger.spec);
                    Store.Reader reader = db.reader()) {
                reader.get(ledger.entry(last.position(), last.generation()), capture);
                reader.flush(capture);
                seconds = (System.nanoTime() - begun) / 1e9;
            }
        } catch (Exception | LinkageError | InternalError e) { // the latter from a mapped file
            return new Reopening(e.toString(), 0, false);
        }
        List<Capture.Pair> pairs = capture.taken();
        return new Reopening(
                null, seconds, pairs.size() == 1 && ledger.isValue(last, pairs.get(0)));
    }
}
