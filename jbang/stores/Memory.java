///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*.java

package stores;

import java.nio.file.Path;
import kv.About;
import kv.Cli;
import kv.Entry;
import kv.Shape;
import kv.Sink;
import kv.Store;

/**
 * No store at all: arrays on the heap, indexed by the number in the key. What a pass over it takes is what the harness
 * itself costs, as long as the data fit the processor's cache.
 */
public final class Memory implements Store {

    private byte[][] keys = new byte[0][];
    private byte[][] values = new byte[0][];

    public static void main(String... arguments) {
        Cli.run(new Memory(), arguments);
    }

    @Override
    public About about() {
        return About.of(Memory.class, "Heap arrays", About.CONTROL, "#9ca3af", "",
                "arrays on the Java heap: what the harness itself costs")
                .option("persistence", "none", "nothing but the harness is measured",
                        "https://docs.oracle.com/javase/specs/jls/se17/html/jls-10.html");
    }

    @Override
    public String engine() {
        return "Java arrays";
    }

    @Override
    public Db open(Path directory, Shape shape) {
        return new Db() {
            @Override
            public Writer writer() {
                keys = new byte[shape.entries()][];
                values = new byte[shape.entries()][];
                return new Writer() {
                    @Override
                    public void put(Entry entry) {
                        int number = entry.number();
                        keys[number] = entry.newKey();
                        values[number] = entry.newValue();
                    }

                    @Override
                    public void close() {
                        // The arrays are complete.
                    }
                };
            }

            @Override
            public Reader reader() {
                return new Arrays(keys, values);
            }

            @Override
            public void close() {
                // The arrays outlive the database, so that opening it again finds them.
            }
        };
    }

    private record Arrays(byte[][] keys, byte[][] values) implements Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            int number = entry.number();
            sink.accept(keys[number], values[number]);
        }

        @Override
        public void ascend(Sink sink) {
            for (int i = 0; i < keys.length; i++) {
                sink.accept(keys[i], values[i]);
            }
        }

        @Override
        public void descend(Sink sink) {
            for (int i = keys.length - 1; i >= 0; i--) {
                sink.accept(keys[i], values[i]);
            }
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
