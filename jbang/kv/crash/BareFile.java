package kv.crash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.Setting;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.Sync;

/**
 * No store: entries are appended to a file, and forced to the device where that is asked for; to
 * compare stores' commits with. It cannot be read.
 */
public final class BareFile implements Store {

    @Override
    public StoreDescriptor describe() {
        return StoreDescriptor.of(
                        BareFile.class,
                        "Bare file",
                        StoreDescriptor.BASELINE,
                        "#808080",
                        "",
                        "appends entries to a file")
                .setting(Setting.SYNC, "on: write and fdatasync; os: write; off: kept in memory")
                .setting(Setting.THREADS, "each thread appends");
    }

    @Override
    public String engine() {
        return "java.nio.channels.FileChannel";
    }

    @Override
    public Db open(Path directory, CaseSpec spec) throws IOException {
        FileChannel file = FileChannel.open(
                directory.resolve("bare"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        return new Db() {
            @Override
            public Writer writer() {
                return new Appends(file, spec.sync());
            }

            @Override
            public Reader reader() {
                throw new UnsupportedOperationException("nobody reads it");
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    private static final class Appends implements Writer {

        private static final int BYTES = 1 << 20;

        private final FileChannel file;
        private final Sync sync;
        private final ByteBuffer batch = ByteBuffer.allocateDirect(BYTES);

        Appends(FileChannel file, Sync sync) {
            this.file = file;
            this.sync = sync;
        }

        @Override
        public void put(Entry entry) throws IOException {
            if (batch.remaining() < entry.keyBytes() + entry.valueBytes()) {
                write();
            }
            batch.put(entry.keyBuffer()).put(entry.valueBuffer());
        }

        @Override
        public void commit() throws IOException {
            if (sync != Sync.OFF) {
                write();
            }
            if (sync == Sync.ON) {
                file.force(false);
            }
        }

        private void write() throws IOException {
            for (batch.flip(); batch.hasRemaining(); ) {
                file.write(batch);
            }
            batch.clear();
        }

        @Override
        public void close() throws IOException {
            commit();
        }
    }
}
