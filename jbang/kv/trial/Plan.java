package kv.trial;

import java.util.List;
import java.util.Map;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;

/**
 * What a section measures at a profile, as the launcher asks for it.
 *
 * @param stores ids, with {@link Section#EVERY} for all
 * @param trials of each store, where no other number and no time is asked for
 * @param limitSeconds after which a trial is stopped
 * @param heap of the JVM, as its flags have it: "2g"
 * @param heapBytes the same in bytes
 * @param memoryBytes that the whole process may use; null for no limit
 * @param flatBytes keys and values of the largest data set
 * @param entries of the data set that has most
 * @param keptBytes that the harness keeps of its entries, off the heap
 * @param files that this data set makes where entries are files of their own, else 0
 * @param holdsAll whether stores have to hold all entries in memory
 * @param systemCalls whether the calls that make loads durable are counted, too
 * @param filesystems stores whose synchronous writes are measured on each file system, too
 * @param cases the data sets, in order
 */
public record Plan(
        String section,
        Profile profile,
        List<String> stores,
        int trials,
        int limitSeconds,
        String heap,
        long heapBytes,
        Long memoryBytes,
        long flatBytes,
        long entries,
        long keptBytes,
        long files,
        boolean holdsAll,
        boolean systemCalls,
        List<String> filesystems,
        List<Case> cases) {

    /** A data set and the workloads on it, with the names that a trial's record has. */
    public record Case(
            KeyKind keys,
            Order order,
            Content content,
            Map<Setting, String> settings,
            int entries,
            int keyBytes,
            int valueBytes,
            List<String> workloads) {

        static Case of(Section.Case each) {
            CaseSpec spec = each.spec();
            return new Case(
                    spec.keys(),
                    spec.order(),
                    spec.content(),
                    spec.settings(),
                    spec.entries(),
                    spec.keys().bytes,
                    spec.valueBytes(),
                    each.workloads());
        }
    }

    /** This plan as JSON. */
    public String json() {
        return Trial.GSON.toJson(this);
    }

    /** Bytes of a size as Java's flags have it: "2g", "512m". */
    static long bytes(String size) {
        long number = Long.parseLong(size.substring(0, size.length() - 1));
        return number << (size.endsWith("g") ? 30 : 20);
    }
}
