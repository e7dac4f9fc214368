package kv.cli;

import com.google.gson.JsonObject;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import kv.trial.Availability;

/**
 * Prints what this machine lacks for the store named as argument, as JSON: {@code {"missing":
 * "needs JDK 22 or newer, and this is 17"}}, and {@code {"missing": null}} where it lacks nothing.
 */
public final class Missing {

    private Missing() {}

    public static void main(String[] ids) {
        PrintStream out = new PrintStream(
                new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err); // to which a store may print
        JsonObject answer = new JsonObject();
        answer.addProperty("missing", missing(ids[0]));
        out.println(answer);
        System.exit(0); // whatever threads it has left
    }

    private static String missing(String id) {
        try {
            return Availability.missingFor(Notebook.store(id));
        } catch (LinkageError e) { // of its class
            return Availability.missing(e);
        }
    }
}
