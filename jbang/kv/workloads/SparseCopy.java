package kv.workloads;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** Copies a folder, and leaves out blocks of zeros: files that are mapped are mostly holes. */
final class SparseCopy {

    private static final int BLOCK_BYTES = 1 << 16;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(BLOCK_BYTES);

    private SparseCopy() {}

    /** Copies a folder to where there is none. What is removed meanwhile is left out. */
    static void of(Path folder, Path copy) throws IOException {
        List<Path> found;
        try (Stream<Path> all = Files.walk(folder)) {
            found = all.toList();
        }
        for (Path each : found) {
            Path to = copy.resolve(folder.relativize(each));
            if (Files.isDirectory(each)) {
                Files.createDirectories(to);
            } else {
                copyFile(each, to);
            }
        }
    }

    private static void copyFile(Path file, Path copy) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        try (FileChannel from = FileChannel.open(file);
                FileChannel to = FileChannel.open(
                        copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long at = 0;
            boolean written = true;
            while (from.read(block.clear(), at) > 0) {
                block.flip();
                int bytes = block.limit();
                written = block.mismatch(ZEROS.duplicate().limit(bytes)) != -1;
                if (written) {
                    while (block.hasRemaining()) {
                        to.write(block, at + block.position());
                    }
                }
                at += bytes;
            }
            if (!written) { // a file ends with what was written last
                to.write(ByteBuffer.allocate(1), at - 1);
            }
        } catch (NoSuchFileException removed) {
            return; // as a log that the store no longer needs
        }
    }
}
