package kv.store;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;

/**
 * A key-value store under test. An adapter is one script in {@code jbang/stores}: it says what the
 * store is and how its own authors would write, get and scan with it. It neither times nor checks
 * anything: the harness does.
 *
 * <p>The contract:
 *
 * <ul>
 *   <li>What was put can be read when the writer is closed, by readers opened after that, and again
 *       when the database has been closed and opened in the same directory.
 *   <li>{@code put} of a key that is there overwrites its value: one entry is left, with the value
 *       put last.
 *   <li>{@code get} gives the sink the key and its value, each once, and nothing for a key that is
 *       not there.
 *   <li>Scans give every entry once, in the order of the keys' bytes: integers by number, strings
 *       by character.
 *   <li>Keys have one length in a case and values another, which may be anything from one byte; any
 *       byte may be in them.
 *   <li>Writers and readers are used by one thread each. Where a case has several threads, several
 *       are open at once.
 *   <li>What goes beyond put and get has a default here that says what is missing; a store that has
 *       it writes that one method.
 *   <li>An option is one object in {@link #describe()}: what is printed of it is what
 *       {@link StoreDescriptor#set} sets when the store is opened.
 *   <li>What a store lacks it declares in {@link #describe()}, with the reason: it is "n/a" then,
 *       not a failure. What only this machine or JDK lacks it says by throwing {@link Unavailable}
 *       when it is opened.
 *   <li>Closed, it holds no file open; it writes nowhere but in its directory.
 * </ul>
 *
 * <p>An adapter has a public constructor without parameters, which must not load native code or
 * open files.
 */
public interface Store {

    /** What the store is, what it cannot do, and every option that it is run with. */
    StoreDescriptor describe();

    /**
     * Name and version of the engine that runs, asked of the engine itself where it can say; may
     * load native code.
     */
    String engine() throws Exception;

    /**
     * Opens the database in a directory, making it when the directory is empty.
     *
     * @param directory exists; nothing else uses it
     * @param spec what will be written and read: for sizing
     */
    Db open(Path directory, CaseSpec spec) throws Exception;

    /**
     * Names of the only workloads that can be measured of it; none where all can for which it has
     * what they need.
     */
    default List<String> workloads() {
        return List.of();
    }

    /**
     * Byte order of integer keys. Big-endian sorts right as bytes; override it for stores with
     * native integer keys.
     */
    default ByteOrder intKeyOrder() {
        return ByteOrder.BIG_ENDIAN;
    }

    /** An open database. */
    interface Db extends AutoCloseable {

        /**
         * Starts loading entries; closing the writer completes the load (commit, last batch),
         * inside the timed part.
         */
        Writer writer() throws Exception;

        /**
         * Starts loading entries that come in ascending order of their keys, into a database that
         * is empty, by what the store has for that: a table that is built outside and ingested, a
         * tree that is filled from the left, pages that are appended.
         *
         * @throws Unavailable when it has nothing of the kind
         */
        default Writer loader() throws Exception {
            throw new Unavailable("has no loader for sorted entries");
        }

        /** Starts reading, on a snapshot where the store has them. */
        Reader reader() throws Exception;

        /**
         * Gives back the space of what was overwritten or deleted, by the vendor's own call; while
         * no writer and no reader is open.
         *
         * @throws Unavailable when it has none
         */
        default void compact() throws Exception {
            throw new Unavailable("has no call that compacts");
        }

        /**
         * Makes a copy of what is committed, which {@link Store#open} opens, by the vendor's own
         * call, while this database stays open.
         *
         * @param directory exists and is empty
         * @throws Unavailable when it has none
         */
        default void backup(Path directory) throws Exception {
            throw new Unavailable("has no call that makes a backup");
        }

        /**
         * What tells the options in force, such as the library's own configuration of this
         * database: {@link Option#reads}. Only the conformance test asks for it.
         */
        default List<Object> configured() throws Exception {
            return List.of();
        }

        @Override
        void close() throws Exception;
    }

    /** A load under way, used by one thread. */
    interface Writer extends AutoCloseable {

        /**
         * Writes an entry, in place of the one of the same key where there is one. It is only valid
         * during the call: keep copies ({@link Entry#newKey()}), not references.
         */
        void put(Entry entry) throws Exception;

        /**
         * Removes the entry of that key; does nothing when it is not there.
         *
         * @throws Unavailable when it cannot
         */
        default void delete(Entry entry) throws Exception {
            throw new Unavailable("cannot delete");
        }

        /**
         * Ends the transaction under way and goes on in another: what was written is as durable as
         * the case's {@link Setting#SYNC} says, and seen by readers opened after it.
         *
         * @throws Unavailable when it has no commit
         */
        default void commit() throws Exception {
            throw new Unavailable("has no commit");
        }

        /** Makes everything written visible to readers, as durable as the store's options say. */
        @Override
        void close() throws Exception;
    }

    /** Reads under way, used by one thread. */
    interface Reader extends AutoCloseable {

        /** More entries than there are: the limit of a scan that has none. */
        int ALL = Integer.MAX_VALUE;

        /**
         * Looks the entry's key up and gives key and found value to the sink; does nothing when it
         * is not there.
         */
        void get(Entry entry, Sink sink) throws Exception;

        /**
         * Gives the sink what is still to come of the gets so far, where a reader collects keys
         * before it looks them up.
         */
        default void flush(Sink sink) throws Exception {}

        /**
         * Looks several keys up by the one call that the store has for that, and gives those found
         * to the sink, in the order in which they were wanted.
         *
         * @throws Unavailable when it has none
         */
        default void multiGet(Entries wanted, Sink sink) throws Exception {
            throw new Unavailable("has no call for several keys");
        }

        /**
         * Gives the sink entries in the order of their keys, or against it: from the entry's key on
         * or, where it is not there, from the next one that way. A whole scan has no {@code from}
         * and the limit {@link #ALL}; one of limit 1, backwards, finds the greatest key up to
         * another. Never called for a whole scan that {@link Store#describe()} declares impossible.
         *
         * @param from null to begin with the first entry that way
         * @param limit how many, at most
         * @throws Unavailable when it cannot
         */
        default void scan(Entry from, int limit, Direction direction, Sink sink) throws Exception {
            throw new Unavailable("cannot scan");
        }

        @Override
        void close() throws Exception;
    }
}
