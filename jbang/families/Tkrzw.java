package families;

//DEPS com.fizzed:tkrzw-api:0.0.9
//DEPS com.fizzed:tkrzw-linux-x64:0.0.9
//DEPS com.fizzed:tkrzw-linux-arm64:0.0.9
//DEPS com.fizzed:tkrzw-macos-x64:0.0.9 com.fizzed:tkrzw-macos-arm64:0.0.9

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import kv.store.CaseSpec;
import kv.store.Entries;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Unavailable;
import kv.store.Value;
import tkrzw.DBM;
import tkrzw.Status;

/** Tkrzw, Kyoto Cabinet's successor, through its own Java interface, whose library is in a jar. */
public abstract class Tkrzw implements Store {

    /** Of its documentation. */
    protected static final String SITE = "https://dbmx.net/tkrzw/";

    private static final Map<String, String> DURABLE = Map.of(
            "update_mode",
            "UPDATE_APPENDING",
            "restore_mode",
            "RESTORE_SYNC:RESTORE_NO_SHORTCUTS:RESTORE_WITH_HARDSYNC");

    /** What both kinds of database have in common; the subclass names itself. */
    protected static StoreDescriptor describe(
            Class<? extends Store> script,
            String name,
            String family,
            String colour,
            String summary) {
        String api = SITE + "api-java/tkrzw/DBM.html";
        return StoreDescriptor.of(script, name, family, colour, "com.fizzed:tkrzw-api", summary)
                .usage(
                        "file",
                        "MemoryMapParallelFile (default)",
                        "a map of the file, the most efficient by its authors' word",
                        SITE + "#tips_file_classes")
                .usage(
                        "update_mode",
                        "UPDATE_IN_PLACE (default)",
                        "what is overwritten leaves no garbage",
                        SITE + "#tips_hashdbm_update_modes")
                .option(Option.of(
                                "update_mode, restore_mode",
                                Value.in(
                                        "UPDATE_APPENDING; RESTORE_SYNC, _NO_SHORTCUTS and"
                                                + " _WITH_HARDSYNC, where commits have to last",
                                        spec -> spec.sync() == Sync.OFF ? null : DURABLE),
                                "what was synchronized is never written over, and restored",
                                SITE + "#tips_durability_settings")
                        .sets(Properties.class, Properties::putAll)
                        .term())
                .option(Option.of(
                                "record_comp_mode",
                                Value.in(
                                        "RECORD_COMP_NONE (default)",
                                        spec -> spec.compressed(false) ? "RECORD_COMP_ZLIB" : null),
                                "as for every store in this test; RECORD_COMP_ZLIB where a case"
                                        + " compresses: this build has no other",
                                SITE + "#tips_compression")
                        .sets(
                                Properties.class,
                                (to, mode) -> to.setProperty("record_comp_mode", mode))
                        .term())
                .usage(
                        "synchronize",
                        "when a load ends, hard off",
                        "what waits in its own cache goes to the file while the clock runs",
                        api)
                .setting(
                        Setting.BATCH,
                        "entries between two calls of synchronize, where sync is on or os")
                .setting(
                        Setting.SYNC,
                        "on: synchronize, hard; os: synchronize; either with what its"
                                + " documentation has for durability")
                .setting(Setting.COMPRESSION, "off by default; on: RECORD_COMP_ZLIB")
                .setting(Setting.THREADS, "one database, which locks parts of itself");
    }

    /** A parameter of that kind of database, which it tells by the same name when it is open. */
    protected static Option<Long> parameter(
            String name, Value<Long> value, String why, String link) {
        return Option.of(name, value, why, link)
                .sets(Properties.class, (to, number) -> to.setProperty(name, number.toString()))
                .reads(Told.class, told -> told.number(name));
    }

    /** What an open database tells of itself. */
    private record Told(Map<String, String> fields) {

        Long number(String name) {
            String text = fields.get(name);
            return text == null ? null : Long.valueOf(text);
        }
    }

    /** Ending of the file's name, which decides the kind of database. */
    protected abstract String ending();

    /** Reads from an open database. */
    protected abstract Reader reader(DBM dbm);

    /** The library, loaded when it is first used: the store describes itself without it. */
    private static DBM database() {
        try {
            return new DBM();
        } catch (LinkageError e) {
            throw new Unavailable("Tkrzw cannot be loaded: its library is for Linux on x86-64, and"
                    + " needs the packages libstdc++6 and zlib1g");
        }
    }

    @Override
    public final String engine() throws ReflectiveOperationException {
        database().destruct();
        var version = Class.forName("tkrzw.Utility").getDeclaredField("VERSION");
        version.setAccessible(true); // it says it nowhere else
        return "Tkrzw " + version.get(null);
    }

    @Override
    public final Db open(Path directory, CaseSpec spec) {
        Map<String, String> parameters = new HashMap<>();
        describe()
                .set(new Properties(), spec)
                .forEach((name, value) -> parameters.put((String) name, (String) value));
        DBM dbm = database();
        try {
            check("open", dbm.open(file(directory), true, parameters));
        } catch (IllegalStateException e) {
            dbm.destruct();
            throw e;
        }
        return new Table(this, dbm, spec);
    }

    private String file(Path directory) {
        return directory.resolve("db" + ending()).toString();
    }

    private static void check(String call, Status status) {
        if (!status.isOK()) {
            throw new IllegalStateException(call + ": " + status);
        }
    }

    private record Table(Tkrzw kind, DBM dbm, CaseSpec spec) implements Db {

        @Override
        public Writer writer() {
            return new Sets(dbm, spec);
        }

        @Override
        public Reader reader() {
            return kind.reader(dbm);
        }

        @Override
        public void compact() {
            check("rebuild", dbm.rebuild());
        }

        @Override
        public void backup(Path directory) {
            check("copyFileData", dbm.copyFileData(kind.file(directory), false));
        }

        @Override
        public List<Object> configured() {
            return List.of(new Told(dbm.inspect()));
        }

        @Override
        public void close() {
            Status status = dbm.close();
            dbm.destruct();
            check("close", status);
        }
    }

    private static final class Sets implements Writer {

        private final DBM dbm;
        private final Sync sync;
        private final int batch;
        private int left;

        Sets(DBM dbm, CaseSpec spec) {
            this.dbm = dbm;
            this.sync = spec.sync();
            this.batch = spec.count(Setting.BATCH, spec.entries());
            this.left = batch;
        }

        @Override
        public void put(Entry entry) {
            check("set", dbm.set(entry.key(), entry.value(), true));
            if (--left == 0) {
                commit();
            }
        }

        @Override
        public void delete(Entry entry) {
            Status status = dbm.remove(entry.key());
            if (status.getCode() != Status.Code.NOT_FOUND_ERROR) {
                check("remove", status);
            }
        }

        @Override
        public void commit() {
            left = batch;
            if (sync != Sync.OFF) {
                close();
            }
        }

        @Override
        public void close() {
            check("synchronize", dbm.synchronize(sync == Sync.ON));
        }
    }

    /** Reads by key. */
    protected static class Gets implements Reader {

        private final DBM dbm;

        public Gets(DBM dbm) {
            this.dbm = dbm;
        }

        @Override
        public final void get(Entry entry, Sink sink) {
            byte[] key = entry.key();
            byte[] value = dbm.get(key);
            if (value != null) {
                sink.accept(key, value);
            }
        }

        @Override
        public final void multiGet(Entries wanted, Sink sink) {
            byte[][] keys = new byte[wanted.count()][];
            for (int place = 0; place < keys.length; place++) {
                keys[place] = wanted.at(place).newKey();
            }
            // It answers with a map in which arrays are told apart by identity
            Map<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
            found.putAll(dbm.getMulti(keys));
            for (byte[] key : keys) {
                byte[] value = found.get(key);
                if (value != null) {
                    sink.accept(key, value);
                }
            }
        }

        @Override
        public final void close() {
            // Nothing is held between reads.
        }
    }
}
