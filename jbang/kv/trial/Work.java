package kv.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where databases are made: on a real file system, in the folder that the launcher names, else in
 * the checkout.
 */
public final class Work {

    private Work() {}

    /**
     * The folder, made where it is not there. A notebook is run in its own folder, two below the
     * checkout's.
     */
    public static Path directory() throws IOException {
        String named = System.getenv("KV_WORK_DIR");
        return Files.createDirectories(
                Path.of(named == null || named.isBlank() ? "../../.work" : named)
                        .toAbsolutePath()
                        .normalize());
    }
}
