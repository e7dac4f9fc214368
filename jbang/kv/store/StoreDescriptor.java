package kv.store;

import com.google.gson.annotations.SerializedName;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a store is and how it is run; charts, tables and the options appendix are made from it.
 *
 * @param id the script's name, as used in file names and on the command line
 * @param name as shown in charts
 * @param family kind of data structure: see the constants
 * @param colour "#rrggbb", the store's colour in every chart; distinct from the others' and legible
 *     on white and black
 * @param library Maven coordinates without version, "group:artifact"; empty for none
 * @param summary one sentence on how this adapter uses the store
 * @param unsupported what the store lacks, with the reason
 * @param options every option that the adapter sets or relies on
 * @param settings those that a case may change, with what they change here
 * @param fixed settings that have one value here, as "compression=off", with the reason
 */
public record StoreDescriptor(
        String id,
        String name,
        String family,
        String colour,
        String library,
        @SerializedName("about") String summary,
        Map<Capability, String> unsupported,
        List<Option<?>> options,
        Map<Setting, String> settings,
        Map<String, String> fixed) {

    /** No store: measures the harness, and takes part only where a notebook names it. */
    public static final String CONTROL = "control";
    /** No store either: the least that a store could take, shown beside them to compare with. */
    public static final String BASELINE = "limit";
    /**
     * No store, but what a program does without one; compared with stores where a notebook names
     * it.
     */
    public static final String NO_STORE = "no store";
    /** One of several ways to one engine; compared with the others where a notebook names it. */
    public static final String ACCESS_PATH = "side";

    public static final String B_PLUS_TREE = "B+ tree";
    public static final String LSM_TREE = "LSM tree";
    public static final String HASH_TABLE = "hash table";
    public static final String LOG_STRUCTURED = "log-structured tree";

    /** Starts a description; id is the adapter's class name. */
    public static StoreDescriptor of(
            Class<? extends Store> script,
            String name,
            String family,
            String colour,
            String library,
            String summary) {
        return new StoreDescriptor(
                script.getSimpleName(),
                name,
                family,
                colour,
                library,
                summary,
                Map.of(),
                List.of(),
                Map.of(),
                Map.of());
    }

    /**
     * The same store under a second name: a control. Its id is the first one's and "Again", by
     * which the two are compared.
     */
    public StoreDescriptor duplicate(Class<? extends Store> script, String name, String colour) {
        return new StoreDescriptor(
                script.getSimpleName(),
                name,
                CONTROL,
                colour,
                library,
                summary,
                unsupported,
                options,
                settings,
                fixed);
    }

    /**
     * This description as one of several ways to an engine that another script stands for wherever
     * engines are compared.
     */
    public StoreDescriptor accessPath() {
        return new StoreDescriptor(
                id,
                name,
                ACCESS_PATH,
                colour,
                library,
                summary,
                unsupported,
                options,
                settings,
                fixed);
    }

    /** This description with something that the store lacks. */
    public StoreDescriptor unsupported(Capability capability, String reason) {
        Map<Capability, String> more = new LinkedHashMap<>(unsupported);
        more.put(capability, reason);
        return new StoreDescriptor(
                id, name, family, colour, library, summary, more, options, settings, fixed);
    }

    /** This description with one more option. */
    public StoreDescriptor option(Option<?> option) {
        List<Option<?>> more = new ArrayList<>(options);
        more.add(option);
        return new StoreDescriptor(
                id, name, family, colour, library, summary, unsupported, more, settings, fixed);
    }

    /** This description with a way of using the store by its own calls: see {@link Option}. */
    public StoreDescriptor usage(String name, Object value, String why, String link) {
        return option(Option.usage(name, String.valueOf(value), why, link));
    }

    /**
     * Sets those options that a library's object holds.
     *
     * @param options what the store is to be opened with
     * @return the same object
     */
    public <T> T set(T options, CaseSpec spec) {
        this.options.forEach(option -> option.set(options, spec));
        return options;
    }

    /**
     * Compares the options with what an open database tells of them.
     *
     * @param told {@link Store.Db#configured()}
     * @return what differs, a sentence for each
     */
    public List<String> differences(List<Object> told, CaseSpec spec) {
        List<String> found = new ArrayList<>();
        for (Option<?> option : options) {
            if (option.isReadable() && told.stream().noneMatch(option::isToldBy)) {
                found.add("nothing tells " + option.name() + " in " + spec);
            }
            told.stream()
                    .filter(option::isToldBy)
                    .map(each -> option.difference(each, spec))
                    .filter(Objects::nonNull)
                    .forEach(found::add);
        }
        return found;
    }

    /** This description with a setting that this store has, and what it changes, in a few words. */
    public StoreDescriptor setting(Setting setting, String what) {
        Map<Setting, String> more = new EnumMap<>(Setting.class);
        more.putAll(settings);
        more.put(setting, what);
        return new StoreDescriptor(
                id, name, family, colour, library, summary, unsupported, options, more, fixed);
    }

    /**
     * This description with a setting that always has one value here, and why: a case with another
     * one is "n/a".
     */
    public StoreDescriptor fixed(Setting setting, String value, String why) {
        Map<String, String> more = new LinkedHashMap<>(fixed);
        more.put(setting + "=" + value, why);
        return new StoreDescriptor(
                id, name, family, colour, library, summary, unsupported, options, settings, more);
    }

    /**
     * Why this store cannot run a case: it has no setting that the case changes, or has it fixed
     * otherwise; null where it can.
     */
    public String unsupportedReason(CaseSpec spec) {
        for (Map.Entry<Setting, String> wanted : spec.settings().entrySet()) {
            Setting setting = wanted.getKey();
            List<String> always = fixed.keySet().stream()
                    .filter(each -> each.startsWith(setting + "="))
                    .toList();
            // What a store has no say in is as its vendor has it
            boolean ofVendor =
                    setting == Setting.COMPRESSION && wanted.getValue().equals("default");
            boolean known = settings.containsKey(setting) || !always.isEmpty();
            if (!setting.ofHarness() && !ofVendor && !known) {
                return "has no setting " + setting;
            }
            if (!always.isEmpty() && !always.contains(setting + "=" + wanted.getValue())) {
                return fixed.get(always.get(0));
            }
        }
        return null;
    }

    /**
     * Whether it is no store, and finds an entry by its number: only one that was written. A store
     * under a second name is one.
     */
    public boolean findsByNumber() {
        return library.isEmpty() && List.of(CONTROL, BASELINE).contains(family);
    }

    /** Why this store lacks something; null where it does not. */
    public String unsupportedReason(Capability capability) {
        return capability == Capability.SCAN_BACKWARDS && !unsupported.containsKey(capability)
                ? unsupported.get(Capability.SCAN)
                : unsupported.get(capability);
    }
}
