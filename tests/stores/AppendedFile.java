///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java

package stores;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32;
import kv.cli.Cli;
import kv.store.CaseSpec;
import kv.store.Direction;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Sink;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;
import kv.store.Unavailable;

/**
 * The least that keeps a promise: each commit is one record with a checksum at the end of a file,
 * which is forced to the device where that is asked for. Opened, the file is read up to the first
 * record that is not whole, and cut there. What breaks a promise is a subclass.
 */
public class AppendedFile implements Store {

    private static final int HEAD =
            Integer.BYTES + Long.BYTES; // bytes of a record, and its checksum

    public static void main(String... arguments) {
        Cli.run(new AppendedFile(), arguments);
    }

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                        getClass(),
                        getClass().getSimpleName(),
                        StoreDescriptor.CONTROL,
                        "#888888",
                        "",
                        "appends each commit to a file, with a checksum")
                .setting(
                        Setting.SYNC, "on: forced; os: written; off: kept back until it is closed");
    }

    @Override
    public String engine() {
        return "none";
    }

    /** Whether commits stay in the process until the writer is closed. */
    protected boolean keepsBack(CaseSpec spec) {
        return spec.sync() == Sync.OFF;
    }

    /** Has the file reach the device. */
    protected void force(FileChannel file) throws IOException {
        file.force(false);
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws IOException {
        Path path = directory.resolve("log");
        NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
        boolean isNew = !Files.exists(path);
        FileChannel file = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (isNew && spec.sync() == Sync.ON) {
            try (FileChannel folder = FileChannel.open(directory)) {
                folder.force(true); // without it the file's name may be lost
            }
        }
        file.truncate(read(path, spec, entries));
        file.position(file.size());
        return new Log(file, entries, spec);
    }

    /** Reads what is whole; how many bytes that is. */
    private static long read(Path path, CaseSpec spec, NavigableMap<byte[], byte[]> entries)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path));
        int whole = 0;
        while (bytes.remaining() >= HEAD) {
            int length = bytes.getInt();
            long sum = bytes.getLong();
            if (length <= 0 || length > bytes.remaining()) {
                break;
            }
            CRC32 crc = new CRC32();
            crc.update(bytes.array(), bytes.position(), length);
            if (crc.getValue() != sum) {
                break;
            }
            for (int end = bytes.position() + length; bytes.position() < end; ) {
                byte[] key = new byte[spec.keys().bytes];
                byte[] value = new byte[spec.valueBytes()];
                bytes.get(key).get(value);
                entries.put(key, value);
            }
            whole = bytes.position();
        }
        return whole;
    }

    private final class Log implements Db {

        private final FileChannel file;
        private final NavigableMap<byte[], byte[]> entries;
        private final CaseSpec spec;
        private ByteBuffer batch;

        Log(FileChannel file, NavigableMap<byte[], byte[]> entries, CaseSpec spec) {
            this.file = file;
            this.entries = entries;
            this.spec = spec;
            batch = ByteBuffer.allocate(HEAD).position(HEAD);
        }

        @Override
        public Writer writer() {
            return new Writer() {
                @Override
                public void put(Entry entry) {
                    ByteBuffer larger = ByteBuffer.allocate(batch.position() + spec.entryBytes());
                    batch = larger.put(batch.flip()).put(entry.key()).put(entry.value());
                    entries.put(entry.newKey(), entry.newValue());
                }

                @Override
                public void commit() throws IOException {
                    if (!keepsBack(spec)) {
                        flush();
                    }
                }

                @Override
                public void close() throws IOException {
                    flush();
                }
            };
        }

        private void flush() throws IOException {
            if (batch.position() == HEAD) {
                return;
            }
            CRC32 crc = new CRC32();
            crc.update(batch.array(), HEAD, batch.position() - HEAD);
            batch.putInt(0, batch.position() - HEAD).putLong(Integer.BYTES, crc.getValue());
            for (batch.flip(); batch.hasRemaining(); ) {
                file.write(batch);
            }
            if (spec.sync() == Sync.ON) {
                force(file);
            }
            batch = ByteBuffer.allocate(HEAD).position(HEAD);
        }

        @Override
        public Reader reader() {
            return new Reads(entries);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private record Reads(NavigableMap<byte[], byte[]> entries) implements Reader {

        @Override
        public void get(Entry entry, Sink sink) {
            byte[] value = entries.get(entry.key());
            if (value != null) {
                sink.accept(entry.key(), value);
            }
        }

        @Override
        public void scan(Entry from, int limit, Direction direction, Sink sink) {
            if (from != null || limit != ALL) {
                throw new Unavailable("scans all of it or nothing");
            }
            (direction == Direction.FORWARDS ? entries : entries.descendingMap())
                    .forEach(sink::accept);
        }

        @Override
        public void close() {}
    }
}
