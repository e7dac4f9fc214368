///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java

package stores;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Unavailable;

/**
 * No store: a file for each entry, in folders of a thousand. What the file system does by itself
 * (exhibit D01).
 */
public final class PlainFiles implements Store {

    private static final int FILES_IN_FOLDER = 1_000;

    public static void main(String... arguments) {
        Cli.run(new PlainFiles(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        String files = "https://docs.oracle.com/en/java/javase/17/docs/api/"
                + "java.base/java/nio/file/Files.html";
        return StoreDescriptor.of(
                        PlainFiles.class,
                        "Plain files",
                        StoreDescriptor.NO_STORE,
                        "#8a6d3b",
                        "",
                        "a file for each entry, which holds its key and its value; the rank of"
                                + " the key is its name")
                .usage("Files.write", "CREATE, WRITE", "opened, written and closed once", files)
                .usage(
                        "folders",
                        "of %,d files, made when opened".formatted(FILES_IN_FOLDER),
                        "large folders slow some file systems down",
                        files)
                .usage(
                        "force",
                        "never",
                        "durability is off in this test",
                        "https://docs.oracle.com/en/java/javase/17/docs/api/"
                                + "java.base/java/nio/channels/FileChannel.html")
                .setting(Setting.THREADS, "each thread writes files of its own");
    }

    @Override
    public List<String> workloads() {
        // A control beside the threads' writes: opening, closing and ageing say nothing of a folder
        return List.of("write", "readKey", "readSeq", "readRev", "readCrc", "readXxh64");
    }

    @Override
    public String engine() {
        return "a file for each entry";
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws IOException {
        for (int first = 0; first < spec.entries(); first += FILES_IN_FOLDER) {
            Files.createDirectories(file(directory, first).getParent());
        }
        return new Folder(directory, spec.keys().bytes, spec.entries());
    }

    private static Path file(Path directory, int rank) {
        return directory
                .resolve(Integer.toString(rank / FILES_IN_FOLDER))
                .resolve(Integer.toString(rank));
    }

    private record Folder(Path directory, int keyBytes, int entries) implements Db, Writer, Reader {

        @Override
        public void put(Entry entry) throws IOException {
            byte[] both = new byte[entry.keyBytes() + entry.valueBytes()];
            ByteBuffer.wrap(both).put(entry.keyBuffer()).put(entry.valueBuffer());
            Files.write(
                    file(directory, entry.rank()),
                    both,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
        }

        @Override
        public void get(Entry entry, Sink sink) throws IOException {
            try {
                byte[] both = Files.readAllBytes(file(directory, entry.rank()));
                byte[] key = entry.key();
                if (Arrays.equals(both, 0, keyBytes, key, 0, keyBytes)) {
                    sink.accept(key, Arrays.copyOfRange(both, keyBytes, both.length));
                }
            } catch (NoSuchFileException notThere) {
                // The sink counts what is.
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) throws IOException {
            if (from != null || limit != ALL) {
                throw new Unavailable("scans all of it or nothing");
            }
            for (int at = 0; at < entries; at++) {
                emit(direction == Direction.FORWARDS ? at : entries - 1 - at, sink);
            }
        }

        private void emit(int rank, Sink sink) throws IOException {
            byte[] both = Files.readAllBytes(file(directory, rank));
            byte[] key = new byte[keyBytes];
            byte[] value = new byte[both.length - keyBytes];
            ByteBuffer.wrap(both).get(key).get(value);
            sink.accept(key, value);
        }

        @Override
        public Writer writer() {
            return this;
        }

        @Override
        public Reader reader() {
            return this;
        }

        @Override
        public void close() {
            // Every file is closed when it is written or read.
        }
    }
}
