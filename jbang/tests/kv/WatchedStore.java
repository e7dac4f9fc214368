package kv;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entries;
import kv.store.Entry;
import kv.store.Sink;

/** A sorted map that writes down what is called, takes its time for it, and may lie in one way. */
public final class WatchedStore extends MapStore {

    /** What the harness may call. */
    public enum Call {
        OPEN,
        WRITER,
        PUT,
        DELETE,
        COMMIT,
        READER,
        GET,
        FLUSH,
        ASCEND,
        DESCEND,
        CLOSE_READER,
        CLOSE
    }

    /** What calls to read give. */
    public enum Lie {
        /** All but one entry. */
        MISSING,
        /** All entries, one with another's value, which is as long. */
        WRONG_VALUE
    }

    /** How long each call takes, in ms; one that is not named takes none. */
    public final Map<Call, Long> naps = new EnumMap<>(Call.class);
    /** The calls that lie. */
    public final Set<Call> lying = ConcurrentHashMap.newKeySet();
    /** How they do. */
    public volatile Lie lie = Lie.MISSING;
    /** The number of the entry that they are about, below 128. */
    public volatile int liesAbout = 3;
    /** What a put fails with; null: none does. */
    public volatile Exception failure;
    /** What was called, in order, but for puts and gets. */
    public final List<Call> calls = new CopyOnWriteArrayList<>();
    /** Numbers of the entries that were put, in order. */
    public final List<Integer> puts = Collections.synchronizedList(new ArrayList<>());
    /** Numbers of the entries that were asked for, in order. */
    public final List<Integer> deletes = Collections.synchronizedList(new ArrayList<>());

    public final List<Integer> gets = Collections.synchronizedList(new ArrayList<>());
    /** Of each scan from an entry, its number and how many were asked for. */
    public final List<List<Integer>> ranges = Collections.synchronizedList(new ArrayList<>());

    /** Forgets what was called. */
    public void forget() {
        calls.clear();
        puts.clear();
        deletes.clear();
        gets.clear();
        ranges.clear();
    }

    private void called(Call call) throws InterruptedException {
        if (call != Call.PUT && call != Call.GET) {
            calls.add(call);
        }
        if (naps.containsKey(call)) {
            Thread.sleep(naps.get(call));
        }
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        called(Call.OPEN);
        Db db = super.open(directory, spec);
        return new Db() {
            @Override
            public Writer writer() throws Exception {
                called(Call.WRITER);
                return new Writes(db.writer());
            }

            @Override
            public Reader reader() throws Exception {
                called(Call.READER);
                return new Reads(db.reader());
            }

            @Override
            public void compact() throws Exception {
                db.compact();
            }

            @Override
            public void close() throws Exception {
                called(Call.CLOSE);
                db.close();
            }
        };
    }

    private final class Writes implements Writer {

        private final Writer writer;

        Writes(Writer writer) {
            this.writer = writer;
        }

        @Override
        public void put(Entry entry) throws Exception {
            called(Call.PUT);
            puts.add(entry.rank());
            if (failure != null) {
                throw failure;
            }
            if (!lying.contains(Call.PUT)) {
                writer.put(entry);
            }
        }

        @Override
        public void delete(Entry entry) throws Exception {
            deletes.add(entry.rank());
            if (!lying.contains(Call.DELETE)) {
                writer.delete(entry);
            }
        }

        @Override
        public void close() throws Exception {
            called(Call.COMMIT);
            writer.close();
        }
    }

    private final class Reads implements Reader {

        private final Reader reader;

        Reads(Reader reader) {
            this.reader = reader;
        }

        @Override
        public void get(Entry entry, Sink sink) throws Exception {
            called(Call.GET);
            gets.add(entry.rank());
            reader.get(entry, lying.contains(Call.GET) ? new Lying(sink) : sink);
        }

        @Override
        public void flush(Sink sink) throws Exception {
            called(Call.FLUSH);
        }

        @Override
        public void multiGet(Entries wanted, Sink sink) throws Exception {
            for (int place = 0; place < wanted.count(); place++) {
                get(wanted.at(place), sink);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) throws Exception {
            if (from != null) {
                ranges.add(List.of(from.rank(), limit));
            }
            Call call = direction == Direction.FORWARDS ? Call.ASCEND : Call.DESCEND;
            called(call);
            reader.scan(from, limit, direction, lying.contains(call) ? new Lying(sink) : sink);
        }

        @Override
        public void close() throws Exception {
            called(Call.CLOSE_READER);
            reader.close();
        }
    }

    /** Passes entries on, but not all as they are. */
    private final class Lying implements Sink {

        private final Sink sink;

        Lying(Sink sink) {
            this.sink = sink;
        }

        @Override
        public boolean wantsKeys() {
            return sink.wantsKeys();
        }

        @Override
        public void accept(byte[] key, byte[] value) {
            boolean chosen = key[key.length - 1] == liesAbout
                    && Arrays.equals(Arrays.copyOf(key, key.length - 1), new byte[key.length - 1]);
            if (!chosen) {
                sink.accept(key, value);
            } else if (lie == Lie.WRONG_VALUE) {
                byte[] wrong = value.clone();
                wrong[0] ^= 1;
                sink.accept(key, wrong);
            }
        }

        @Override
        public void accept(byte[] value) {
            throw new UnsupportedOperationException("the map has keys");
        }

        @Override
        public void accept(ByteBuffer key, ByteBuffer value) {
            throw new UnsupportedOperationException("the map has arrays");
        }

        @Override
        public void accept(long key, int keyBytes, long value, int valueBytes) {
            throw new UnsupportedOperationException("the map has arrays");
        }
    }
}
