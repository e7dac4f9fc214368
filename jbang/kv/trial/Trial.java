package kv.trial;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.annotations.SerializedName;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.GsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import kv.bench.Cost;
import kv.bench.Measurement;
import kv.bench.Observed;
import kv.bench.OperationTimes;
import kv.bench.Settle;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Option;
import kv.store.Order;
import kv.store.Setting;
import kv.store.StoreDescriptor;
import kv.store.UserError;
import org.HdrHistogram.Histogram;

/**
 * The record of a trial: one store, measured once, in one JVM as long as that lasts. The schema
 * beside {@code data/} says what each field means.
 */
public record Trial(
        int format,
        String section,
        int trial,
        int position,
        Mode mode,
        Profile profile,
        long seed,
        String started,
        double seconds,
        Status status,
        String reason,
        StoreInfo store,
        List<Jar> jars,
        Jvm jvm,
        Integer harness,
        String code,
        List<String> output,
        List<Case> cases) {

    /** Version of the record's form. */
    public static final int FORMAT = 4;

    private static final int REASON = 400; // characters that anyone reads of what a store says

    public static final Gson GSON = new GsonBuilder()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
            .serializeNulls()
            .disableHtmlEscaping()
            .setPrettyPrinting()
            .create();

    /** Whether the JVM measured this store only. */
    public enum Mode {
        @SerializedName("isolated")
        ISOLATED,
        @SerializedName("shared")
        SHARED
    }

    /** How a trial or a result ended. */
    public enum Status {
        @SerializedName("ok")
        OK,
        /** The store cannot do this, by design. */
        @SerializedName("na")
        NA,
        @SerializedName("failed")
        FAILED
    }

    /** {@link StoreDescriptor} with the versions that really ran. */
    public record StoreInfo(
            String id,
            String name,
            String family,
            String colour,
            String library,
            String version,
            String engine,
            @SerializedName("about") String summary,
            java.util.Map<String, String> unsupported,
            List<Option<?>> options,
            java.util.Map<Setting, String> settings,
            java.util.Map<String, String> fixed,
            String code) {}

    /** A file on the class path. */
    public record Jar(String name, String sha256) {}

    /** The JVM that measured. */
    public record Jvm(
            String version,
            String vm,
            String vendor,
            List<String> flags,
            long heapBytes,
            List<String> gc) {}

    /**
     * Bytes of disk blocks that the store's files occupy: open and closed after the load, and
     * closed after it was overwritten.
     */
    public record Space(Long openBytes, Long closedBytes, Long agedBytes) {}

    /**
     * One data set, written and read, under the settings named; {@code turn} is how many cases the
     * trial had measured before. {@code firstLoadsNs} is what its JVM loaded before (FirstLoads);
     * null where there was no need to. {@code settle} is null when the load failed.
     */
    public record Case(
            Integer turn,
            KeyKind keys,
            Order order,
            Content content,
            java.util.Map<Setting, String> settings,
            int entries,
            int keyBytes,
            int valueBytes,
            long flatBytes,
            java.util.Map<String, List<Long>> firstLoadsNs,
            Settle settle,
            Space space,
            List<Result> results) {}

    /** One workload's passes over that data set; times in ns for each whole pass. */
    public record Result(
            String workload,
            String code,
            Status status,
            String reason,
            List<Long> warmupNs,
            List<Long> iterationNs,
            long entries,
            long userBytes,
            Long cpuUserNs,
            Long cpuSystemNs,
            Long osReadBytes,
            Long osWrittenBytes,
            Long peakRssBytes,
            Long gcMs,
            Long gcCount,
            Integer openFiles,
            Integer storeFiles,
            Integer threads,
            Observed observed,
            Singles singles) {

        static Result of(Measurement measured) {
            Cost cost = measured.cost();
            return new Result(
                    measured.workload(),
                    Provenance.codeOf(measured.workload()),
                    Status.OK,
                    null,
                    measured.warmupNs(),
                    measured.passNs(),
                    measured.entries(),
                    measured.bytes(),
                    cost.cpuUserNs(),
                    cost.cpuSystemNs(),
                    cost.osReadBytes(),
                    cost.osWrittenBytes(),
                    cost.peakRssBytes(),
                    cost.gcMs(),
                    cost.gcCount(),
                    cost.openFiles(),
                    cost.storeFiles(),
                    cost.threads(),
                    measured.observed(),
                    Singles.of(measured.operations()));
        }

        static Result without(String workload, Status status, String reason, CaseSpec spec) {
            return new Result(
                    workload,
                    Provenance.codeOf(workload),
                    status,
                    brief(reason),
                    List.of(),
                    List.of(),
                    spec.entries(),
                    spec.flatBytes(),
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null);
        }
    }

    /**
     * Single operations of the measured passes and of all threads, where each was timed.
     *
     * @param perSecond the rate at which they were due; null in a closed loop
     * @param count how many there were
     * @param maxNs the longest
     * @param counts their histogram as HdrHistogram encodes it: compressed, and in Base64, as its
     *     log files have it
     */
    public record Singles(Double perSecond, long count, long maxNs, String counts) {

        static Singles of(OperationTimes times) {
            if (times == null) {
                return null;
            }
            return new Singles(
                    times.perSecond(),
                    times.ns().getTotalCount(),
                    times.ns().getMaxValue(),
                    encoded(times.ns()));
        }

        private static String encoded(Histogram ns) {
            ByteBuffer buffer = ByteBuffer.allocate(ns.getNeededByteBufferCapacity());
            int bytes = ns.encodeIntoCompressedByteBuffer(buffer);
            return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), bytes));
        }
    }

    /** A reason as a record has room for it: a store may say whatever it likes. */
    private static String brief(String reason) {
        return reason.length() <= REASON ? reason : reason.substring(0, REASON - 1) + "…";
    }

    /** This record as JSON. */
    public String json() {
        return GSON.toJson(this);
    }

    /** Writes the record whole or not at all, and only when the schema accepts it. */
    public void save(Path file) throws IOException {
        String json = json() + "\n";
        validate(json, file);
        Files.createDirectories(file.getParent());
        writeWhole(file, json);
    }

    /**
     * Writes a file so that whoever reads it finds all of it or nothing, with the permissions that
     * the user's files have, which Java's own temporary files do not.
     */
    public static void writeWhole(Path file, String text) throws IOException {
        Path partial = file.resolveSibling(
                "." + file.getFileName() + "-" + ProcessHandle.current().pid() + ".tmp");
        try {
            Files.writeString(partial, text);
            Files.move(
                    partial,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /**
     * Reads a record.
     *
     * @throws UserError when the file is damaged, saying what to do
     */
    public static Trial load(Path file) throws IOException {
        String json = Files.readString(file);
        try {
            validate(json, file);
        } catch (RuntimeException e) {
            throw new UserError(file + " is damaged (" + e.getMessage()
                    + "); delete it and it is measured again");
        }
        return GSON.fromJson(json, Trial.class);
    }

    private static void validate(String json, Path file) throws IOException {
        try (InputStream in = Trial.class.getResourceAsStream("/trial.schema.json")) {
            String schema = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            var result = new ValidatorFactory()
                    .withJsonNodeFactory(new GsonNode.Factory())
                    .validate(schema, json);
            if (!result.isValid()) {
                var first = result.getErrors().get(0);
                throw new IllegalStateException(file.getFileName() + " at "
                        + first.getInstanceLocation() + ": " + first.getError());
            }
        }
    }
}
