package stores;

import java.nio.file.Path;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Store;

/** A flat file that does something of its own on the way; what, its subclass says. */
abstract class AlteredFlatFile implements Store {

    private final Store good = new FlatFile();

    /** What it does before an entry is put. */
    void beforePut() throws Exception {}

    /** What it does when a load is complete, inside the timed part. */
    void afterLoad(Path directory, CaseSpec spec) throws Exception {}

    /** What it does when it is to be read. */
    void beforeReading() throws Exception {}

    @Override
    public String engine() throws Exception {
        return good.engine();
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws Exception {
        Db db = good.open(directory, spec);
        return new Db() {
            @Override
            public Writer writer() throws Exception {
                Writer writer = db.writer();
                return new Writer() {
                    @Override
                    public void put(Entry entry) throws Exception {
                        beforePut();
                        writer.put(entry);
                    }

                    @Override
                    public void close() throws Exception {
                        writer.close();
                        afterLoad(directory, spec);
                    }
                };
            }

            @Override
            public Reader reader() throws Exception {
                beforeReading();
                return db.reader();
            }

            @Override
            public void close() throws Exception {
                db.close();
            }
        };
    }
}
