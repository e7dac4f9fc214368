///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*.java ../../jbang/stores/FlatFile.java

package stores;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Shape;
import kv.Store;

/** A flat file that changes one bit of one value: what verification must never let pass. */
public final class WrongBytes implements Store {

    private final Store good = new FlatFile();

    public static void main(String... arguments) {
        Cli.run(new WrongBytes(), arguments);
    }

    @Override
    public About about() {
        return About.of(WrongBytes.class, "Wrong bytes", About.CONTROL, "#ff0000", "", "a flat file with one wrong bit");
    }

    @Override
    public String engine() throws Exception {
        return good.engine();
    }

    @Override
    public Db open(Path directory, Shape shape) throws Exception {
        Db db = good.open(directory, shape);
        return new Db() {
            @Override
            public Writer writer() throws Exception {
                Writer writer = db.writer();
                return new Writer() {
                    @Override
                    public void put(Entry entry) throws Exception {
                        writer.put(entry);
                    }

                    @Override
                    public void close() throws Exception {
                        writer.close();
                        flipBit(directory.resolve("flat"), shape.flatBytes() - 1);  // the end of the last value
                    }
                };
            }

            @Override
            public Reader reader() throws Exception {
                return db.reader();
            }

            @Override
            public void close() throws Exception {
                db.close();
            }
        };
    }

    private static void flipBit(Path path, long offset) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(offset);
            int old = file.read();
            file.seek(offset);
            file.write(old ^ 1);
        }
    }
}
