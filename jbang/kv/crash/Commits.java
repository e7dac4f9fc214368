package kv.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import kv.store.Store;
import kv.store.Unavailable;

/**
 * Commits a ledger's transactions one after another and says of each that it is committed, which is
 * what a user would rely on: once the store's call has returned, and not before.
 */
public final class Commits {

    private final Store store;
    private final Ledger ledger;
    private final PrintStream said;
    private final BufferedReader heard;

    /**
     * What it needs.
     *
     * @param said gets a line with the number of each committed transaction, and at first one with
     *     0: the database is open
     * @param heard gives a line for each of them, before which nothing more is written; null for
     *     not waiting
     */
    public Commits(Store store, Ledger ledger, PrintStream said, BufferedReader heard) {
        this.store = store;
        this.ledger = ledger;
        this.said = said;
        this.heard = heard;
    }

    /**
     * Commits all of them.
     *
     * @param directory exists and is empty
     * @throws Exception what the store throws
     */
    public void run(Path directory) throws Exception {
        try (Store.Db db = store.open(directory, ledger.spec)) {
            say(0);
            Store.Writer writer = db.writer();
            for (int number = 1; number <= ledger.transactions(); number++) {
                for (Ledger.Write write : ledger.transaction(number)) {
                    writer.put(ledger.entry(write.position(), write.generation()));
                }
                writer = committed(db, writer);
                say(number);
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

    private void say(int number) throws IOException {
        said.println(number);
        said.flush();
        if (heard != null && heard.readLine() == null) {
            throw new IOException("nobody listens any more");
        }
    }
}
