package kv.trial;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.UserError;
import kv.workloads.Workloads;

/**
 * A section of the report, declared in a cell of its measure notebook: which stores, which
 * workloads on which data sets, and what it needs of the machine. This is the only place that says
 * so; the launcher asks for the {@link Plan}.
 *
 * <pre>{@code
 * var section = Section.of("04-small-values")
 *         .stores(Section.EVERY, "LmdbJavaBbAgain")
 *         .cases(List.of("write", "readKey"), CaseSpec.each(
 *                 List.of(KeyKind.INT), List.of(Order.RANDOM), profile.entries, 100));
 * }</pre>
 */
public final class Section {

    /** In place of stores' ids: every store that is not an aside (a control, a side, no store). */
    public static final String EVERY = "*";

    private static final String ID = "[a-z0-9][a-z0-9-]*";
    private static final long JVM_BYTES = 256L << 20; // beside the heap: code, classes, threads

    private final String id;
    private final List<Case> cases = new ArrayList<>();
    private final Map<Profile, Integer> trials = new EnumMap<>(Profile.class);
    private final Map<Profile, Integer> limitSeconds = new EnumMap<>(Profile.class);
    private List<String> stores = List.of(EVERY);
    private List<String> filesystems = List.of();
    private String heap;
    private Double shareOfData;
    private boolean holdsAll;
    private boolean entriesAreFiles;
    private boolean systemCalls;

    /** A data set and settings, and the workloads that run on them. */
    public record Case(CaseSpec spec, List<String> workloads) {}

    private Section(String id) {
        this.id = id;
    }

    /**
     * A section with that number and name, which is its notebook's file name: "04-small-values".
     *
     * @throws UserError when it has other characters than a-z, 0-9 and "-"
     */
    public static Section of(String id) {
        if (!id.matches(ID)) {
            throw new UserError("A section's id has a-z, 0-9 and '-' only, as 04-small-values, and "
                    + id + " has others");
        }
        return new Section(id);
    }

    /** Number and name. */
    public String id() {
        return id;
    }

    /** What is measured, in this order. */
    public List<Case> cases() {
        return List.copyOf(cases);
    }

    /**
     * The stores, by id; {@link #EVERY} stands for all, and is what a section has that names none.
     */
    public Section stores(String... ids) {
        stores = List.of(ids);
        return this;
    }

    /**
     * Further cases, which all run these workloads.
     *
     * @throws UserError when there is no workload of a name
     */
    public Section cases(List<String> workloads, List<CaseSpec> specs) {
        workloads.forEach(Workloads::named);
        specs.forEach(spec -> cases.add(new Case(spec, List.copyOf(workloads))));
        return this;
    }

    /** Further cases, which all run these workloads. */
    public Section cases(List<String> workloads, CaseSpec... specs) {
        return cases(workloads, List.of(specs));
    }

    /** Trials of each store at a profile, where they are not the profile's own number. */
    public Section trials(Profile profile, int number) {
        trials.put(profile, number);
        return this;
    }

    /**
     * Seconds after which a trial is stopped at a profile, where they are not the profile's own.
     */
    public Section limitSeconds(Profile profile, int seconds) {
        limitSeconds.put(profile, seconds);
        return this;
    }

    /**
     * Limits the memory of the whole process, page cache included, to the heap, what the JVM itself
     * needs, and a share of the data.
     *
     * @param heap of the JVM, as its flags have it: "512m"
     */
    public Section memory(String heap, double shareOfData) {
        this.heap = heap;
        this.shareOfData = shareOfData;
        return this;
    }

    /** Says that stores are given all entries at once and so have to hold them in memory. */
    public Section holdsAllInMemory() {
        holdsAll = true;
        return this;
    }

    /** Says that a store makes each entry a file of its own. */
    public Section entriesAreFiles() {
        entriesAreFiles = true;
        return this;
    }

    /** Has the system calls counted by which loads wait for the device, outside the trials. */
    public Section countsSystemCalls() {
        systemCalls = true;
        return this;
    }

    /**
     * Has the synchronous writes of these stores measured on each file system that there is,
     * outside the trials.
     */
    public Section syncedOnEachFileSystem(String... ids) {
        filesystems = List.of(ids);
        return this;
    }

    /** What this section measures at a profile. */
    public Plan plan(Profile profile) {
        long flat = largest(cases.stream().map(each -> each.spec.flatBytes()));
        long entries = largest(cases.stream().map(each -> (long) each.spec.entries()));
        String ownHeap = heap == null ? profile.heap : heap;
        Long memory = shareOfData == null
                ? null
                : Long.valueOf(Plan.bytes(ownHeap) + JVM_BYTES + (long) (shareOfData * flat));
        return new Plan(
                id,
                profile,
                stores,
                trials.getOrDefault(profile, profile.trials),
                limitSeconds.getOrDefault(profile, profile.limitSeconds),
                ownHeap,
                Plan.bytes(ownHeap),
                memory,
                flat,
                entries,
                entries * Data.KEPT_BYTES,
                entriesAreFiles ? entries : 0,
                holdsAll,
                systemCalls,
                filesystems,
                cases.stream().map(Plan.Case::of).toList());
    }

    private static long largest(Stream<Long> values) {
        return values.max(Comparator.naturalOrder()).orElse(0L);
    }
}
