package kv.trial;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Store;
import kv.store.Unavailable;

/**
 * Whether this machine lacks what a store needs: a library of the system, native code for its
 * platform, a newer JDK. That is no failure of the store: its rows say n/a, with the reason.
 */
public final class Availability {

    private static final CaseSpec FEW = new CaseSpec(KeyKind.INT, Order.RANDOM, 10, 10);
    private static final int CLASS_FILES_BEFORE = 44; // those of Java 1 have version 45
    private static final int FOREIGN_FUNCTIONS = 22; // the first Java that has them
    private static final Pattern CLASS_FILE = Pattern.compile("class file version (\\d+)");
    private static final String NOT_INITIALISED = "Could not initialize class ";
    // Whoever loads a library by other means than the JVM's says so in words of its own
    private static final Pattern NOT_LOADED = Pattern.compile(
            "\\b(cannot|could not|unable to|failed to) (open|load|locate|find|determine)\\b"
                    + ".{0,60}\\blibrary\\b|\\bno native library\\b",
            Pattern.CASE_INSENSITIVE);
    // A sentence of a store's own, which says what to do
    private static final String OWN_SENTENCE = "cannot be loaded: ";

    /** What was missing when a class was initialised, of which the JVM later says only that. */
    private static final Map<String, String> INITIALISED = new ConcurrentHashMap<>();

    private Availability() {}

    /**
     * Tries a store with a few entries, in {@link Work}'s directory: it is opened, written, closed,
     * opened again and read.
     *
     * @return what this machine lacks for it; null where it lacks nothing, though the store may
     *     fail
     */
    public static String missingFor(Store store) {
        try (Bench bench = Bench.open(store, FEW, Profile.SMOKE)) {
            return null;
        } catch (Exception | Error e) {
            return missing(e);
        }
    }

    /** What this machine lacks, where a store threw something for that; null where it failed. */
    public static String missing(Throwable thrown) {
        if (isOfHarness(thrown)) {
            return null;
        }
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            String words = each.getMessage() == null
                    ? ""
                    : each.getMessage().lines().findFirst().orElse("");
            String found = missing(each, words);
            if (found != null) {
                note(thrown, found);
                return found;
            }
        }
        return null;
    }

    /** Whether the harness's own native code does not load, without which nothing is measured. */
    private static boolean isOfHarness(Throwable thrown) {
        String own = Probe.class.getName();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each.toString().contains(own)
                    || Arrays.stream(each.getStackTrace())
                            .anyMatch(frame -> frame.getClassName().equals(own))) {
                return true;
            }
        }
        return false;
    }

    private static void note(Throwable thrown, String missing) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            Arrays.stream(each.getStackTrace())
                    .filter(frame -> frame.getMethodName().equals("<clinit>"))
                    .forEach(frame -> INITIALISED.putIfAbsent(frame.getClassName(), missing));
        }
    }

    private static String missing(Throwable thrown, String words) {
        if (thrown instanceof Unavailable || words.contains(OWN_SENTENCE)) {
            return words;
        }
        if (words.contains(UnsupportedClassVersionError.class.getSimpleName())
                || thrown instanceof UnsupportedClassVersionError) {
            Matcher version = CLASS_FILE.matcher(words);
            return version.find()
                    ? needsJava(Integer.parseInt(version.group(1)) - CLASS_FILES_BEFORE)
                    : "needs another JDK: " + words;
        }
        if (thrown instanceof LinkageError && words.contains("java/lang/foreign/")) {
            return needsJava(FOREIGN_FUNCTIONS);
        }
        if (words.startsWith(NOT_INITIALISED)) {
            return INITIALISED.get(words.substring(NOT_INITIALISED.length()));
        }
        boolean unlinked = thrown instanceof UnsatisfiedLinkError
                || thrown.getClass().getSimpleName().startsWith("NativeLibraryNotFound");
        return unlinked || NOT_LOADED.matcher(words).find() ? notLoaded(words) : null;
    }

    private static String needsJava(int feature) {
        return "needs JDK " + feature + " or newer, and this is "
                + Runtime.version().feature();
    }

    /** Without folders, and without numbers in files' names that are others each time. */
    private static String notLoaded(String words) {
        return "its native code does not load here: "
                + words.replaceAll("/\\S*/", "")
                        .replaceAll("\\d{6,}", "")
                        .replaceAll("(\\S+: )\\1", "$1");
    }
}
