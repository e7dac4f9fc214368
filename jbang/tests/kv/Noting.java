package stores;

import java.nio.ByteOrder;
import java.nio.file.Path;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entries;
import kv.store.Entry;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.trial.AnewTest;

/** A store of the package that scripts have, which notes the classes of the sinks that it sees. */
public final class Noting implements Store {

    @Override
    public StoreDescriptor describe() {
        return AnewTest.MAP.describe();
    }

    @Override
    public String engine() {
        return "TreeMap";
    }

    @Override
    public ByteOrder intKeyOrder() {
        return AnewTest.MAP.intKeyOrder();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        Db db = AnewTest.MAP.open(directory, spec);
        return new Db() {
            @Override
            public Writer writer() throws Exception {
                return db.writer();
            }

            @Override
            public Writer loader() throws Exception {
                return db.loader();
            }

            @Override
            public Reader reader() throws Exception {
                return new Reads(db.reader());
            }

            @Override
            public void compact() throws Exception {
                db.compact();
            }

            @Override
            public void close() throws Exception {
                db.close();
            }
        };
    }

    private record Reads(Reader reader) implements Reader {

        private static Sink noted(Sink sink) {
            AnewTest.note(Noting.class, sink.getClass());
            return sink;
        }

        @Override
        public void get(Entry entry, Sink sink) throws Exception {
            reader.get(entry, noted(sink));
        }

        @Override
        public void multiGet(Entries wanted, Sink sink) throws Exception {
            reader.multiGet(wanted, noted(sink));
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) throws Exception {
            reader.scan(from, limit, direction, noted(sink));
        }

        @Override
        public void close() throws Exception {
            reader.close();
        }
    }
}
