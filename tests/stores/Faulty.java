///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java Capabilities.java Collected.java

package stores;

import com.google.gson.Gson;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entries;
import kv.store.Entry;
import kv.store.Option;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Value;

/**
 * A sorted map in memory that has every capability, one of them with a {@link Fault}. Its
 * {@code main} holds each of these stores to the contract, in one JVM.
 */
public final class Faulty implements Store {

    /** What is wrong, and the capability in which it is. */
    enum Fault {
        NONE(""),
        DELETES_NOTHING("delete"),
        DELETED_COMES_BACK("delete"),
        DELETES_WHAT_IS_PUT_LATER("delete"),
        COMMITS_NOTHING("commit"),
        COMMIT_ENDS_THE_WRITER("commit"),
        DROPS_THE_LAST_WANTED("multiGet"),
        GIVES_EACH_WANTED_ONCE("multiGet"),
        ASCENDS_BEYOND_THE_LIMIT("ascend"),
        ASCENDS_AFTER_THE_KEY("ascend"),
        DESCENDS_BEYOND_THE_LIMIT("descend"),
        DESCENDS_FROM_THE_NEXT_GREATER("descend"),
        COMPACTION_LOSES_AN_ENTRY("compact"),
        COMPACTION_IS_FORGOTTEN("compact"),
        BACKS_UP_AN_OLDER_STATE("backup"),
        PRINTS_WHAT_IT_DOES_NOT_SET("options"),
        SETS_IT_AS_SHIPPED_TOO("options"),
        KEEPS_ANOTHER_VALUE("options"),
        TELLS_NOTHING("options");

        final String capability;

        Fault(String capability) {
            this.capability = capability;
        }
    }

    private static final int SHIPPED_BYTES = 100;
    private static final int BUFFER_BYTES = 400;

    /** What it is opened with. */
    private static final class Configured {
        int bufferBytes = SHIPPED_BYTES;
    }

    private static final class Content extends TreeMap<byte[], byte[]> {
        Content() {
            super(Arrays::compareUnsigned);
        }

        Content(Map<byte[], byte[]> other) {
            this();
            putAll(other);
        }
    }

    private final Fault fault;
    private final Map<Path, Content> files = new HashMap<>(); // that outlive the databases

    Faulty(Fault fault) {
        this.fault = fault;
    }

    @Override
    public StoreDescriptor describe() {
        BiConsumer<Configured, Integer> set = (to, bytes) -> to.bufferBytes = bytes;
        return StoreDescriptor.of(
                        Faulty.class,
                        "Faulty",
                        StoreDescriptor.CONTROL,
                        "#ff0007",
                        "",
                        fault.toString())
                .option(Option.of("buffer", Value.of(BUFFER_BYTES), "is larger", "")
                        .sets(
                                Configured.class,
                                fault == Fault.PRINTS_WHAT_IT_DOES_NOT_SET
                                        ? (to, bytes) -> {}
                                        : set)
                        .reads(Configured.class, told -> told.bufferBytes)
                        .shipped(SHIPPED_BYTES))
                .setting(Setting.DEFAULTS, "its buffer");
    }

    @Override
    public String engine() {
        return "none";
    }

    @Override
    public Db open(Path directory, CaseSpec spec) {
        Configured configured = describe().set(new Configured(), spec);
        if (fault == Fault.SETS_IT_AS_SHIPPED_TOO) {
            configured.bufferBytes = BUFFER_BYTES;
        }
        if (fault == Fault.KEEPS_ANOTHER_VALUE && !spec.vendorDefaults()) {
            configured.bufferBytes--;
        }
        return new Opened(directory, configured);
    }

    private final class Opened implements Db {

        private final Path directory;
        private final Configured configured;
        private final Content first = new Content(); // before anything was overwritten
        private volatile Content committed;
        private Content old; // of before the deletions

        Opened(Path directory, Configured configured) {
            this.directory = directory;
            this.configured = configured;
            committed = files.computeIfAbsent(directory, each -> new Content());
        }

        @Override
        public Writer writer() {
            return new Writes(this);
        }

        @Override
        public Reader reader() {
            return new Reads(committed);
        }

        @Override
        public void compact() {
            if (fault == Fault.COMPACTION_LOSES_AN_ENTRY) {
                committed.pollLastEntry();
            }
            if (fault == Fault.COMPACTION_IS_FORGOTTEN) {
                old = new Content(committed);
                old.pollFirstEntry();
            }
        }

        @Override
        public List<Object> configured() {
            return fault == Fault.TELLS_NOTHING ? List.of() : List.of(configured);
        }

        @Override
        public void backup(Path copy) {
            files.put(
                    copy, fault == Fault.BACKS_UP_AN_OLDER_STATE ? first : new Content(committed));
        }

        @Override
        public void close() {
            files.put(directory, old == null ? committed : old);
        }
    }

    private final class Writes implements Writer {

        private final Opened to;
        private Content content;
        private Content deleted = new Content();

        Writes(Opened to) {
            this.to = to;
            content = new Content(to.committed);
        }

        @Override
        public void put(Entry entry) {
            content.put(entry.newKey(), entry.newValue());
            to.first.putIfAbsent(entry.newKey(), entry.newValue());
        }

        @Override
        public void delete(Entry entry) {
            if (fault == Fault.DELETED_COMES_BACK && to.old == null) {
                to.old = new Content(content);
            }
            if (fault != Fault.DELETES_NOTHING) {
                content.remove(entry.newKey());
                deleted.put(entry.newKey(), new byte[0]);
            }
        }

        @Override
        public void commit() {
            if (fault != Fault.COMMITS_NOTHING) {
                to.committed = content;
                content = fault == Fault.COMMIT_ENDS_THE_WRITER
                        ? new Content()
                        : new Content(content);
            }
        }

        @Override
        public void close() {
            if (fault == Fault.DELETES_WHAT_IS_PUT_LATER) {
                content.keySet().removeAll(deleted.keySet());
            }
            to.committed = content;
        }
    }

    private final class Reads implements Reader {

        private final NavigableMap<byte[], byte[]> content;

        Reads(Content content) {
            this.content = content;
        }

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] value = content.get(entry.key());
            if (value != null) {
                sink.accept(entry.key(), value);
            }
        }

        @Override
        public void multiGet(Entries wanted, Sink sink) {
            int count = wanted.count() - (fault == Fault.DROPS_THE_LAST_WANTED ? 1 : 0);
            Content seen = new Content();
            for (int place = 0; place < count; place++) {
                Entry entry = wanted.at(place);
                boolean again = seen.put(entry.newKey(), new byte[0]) != null;
                if (!again || fault != Fault.GIVES_EACH_WANTED_ONCE) {
                    get(entry, sink);
                }
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            boolean forwards = direction == Direction.FORWARDS;
            NavigableMap<byte[], byte[]> found = forwards ? content : content.descendingMap();
            if (from != null) {
                byte[] key = from.newKey();
                byte[] greater = content.ceilingKey(key);
                boolean after = forwards && fault == Fault.ASCENDS_AFTER_THE_KEY;
                boolean next = !forwards
                        && fault == Fault.DESCENDS_FROM_THE_NEXT_GREATER
                        && greater != null;
                found = found.tailMap(next ? greater : key, !after);
            }
            int most = limit;
            if (limit != ALL && forwards && fault == Fault.ASCENDS_BEYOND_THE_LIMIT) {
                most++;
            }
            if (limit != ALL && !forwards && fault == Fault.DESCENDS_BEYOND_THE_LIMIT) {
                most = content.size();
            }
            found.entrySet().stream()
                    .limit(most)
                    .forEach(each -> sink.accept(each.getKey(), each.getValue()));
        }

        @Override
        public void close() {
            // It holds a state, which nothing changes.
        }
    }

    /**
     * Prints for each fault the capability that has it, and what became of all. Argument: the
     * directory to work in.
     */
    public static void main(String... arguments) throws Exception {
        Map<Fault, Map<String, Object>> printed = new LinkedHashMap<>();
        for (Fault fault : Fault.values()) {
            printed.put(
                    fault,
                    Map.of(
                            "capability",
                            fault.capability,
                            "outcomes",
                            Capabilities.outcomes(new Faulty(fault), Path.of(arguments[0]))));
        }
        System.out.println(new Gson().toJson(printed));
    }
}
