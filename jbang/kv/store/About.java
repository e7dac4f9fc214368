package kv.store;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a store says of itself; charts, tables and the options appendix are made from it.
 *
 * @param id      the script's name, as used in file names and on the command line
 * @param name    as shown in charts
 * @param family  kind of data structure: see the constants
 * @param colour  "#rrggbb", the store's colour in every chart; distinct from the others' and legible on white and black
 * @param library Maven coordinates without version, "group:artifact"; empty for none
 * @param about   one sentence on how this adapter uses the store
 * @param cannot  workloads that the store cannot do, with the reason
 * @param options every option the adapter sets or relies on
 * @param settings those that a case may change, with what they change here
 * @param fixed    settings with the one value that they always have here, and why: "compression=off" and its reason
 */
public record About(String id, String name, String family, String colour, String library, String about,
                    Map<Workload, String> cannot, List<Option> options, Map<Setting, String> settings,
                    Map<String, String> fixed) {

    /** No store: measures the harness, and takes part only where a notebook names it. */
    public static final String CONTROL = "control";
    /** No store either: what the hardware allows, drawn beside the stores as the line to measure them against. */
    public static final String LIMIT = "limit";
    /** No store, but what a program does without one; compared with stores where a notebook names it. */
    public static final String WITHOUT = "no store";
    /** One of several ways to run one engine; compared with the others where a notebook names it. */
    public static final String SIDE = "side";
    public static final String B_PLUS_TREE = "B+ tree";
    public static final String LSM_TREE = "LSM tree";
    public static final String HASH_TABLE = "hash table";
    public static final String LOG_STRUCTURED = "log-structured tree";

    /**
     * An option of a store.
     *
     * @param name  as the vendor calls it
     * @param value as set here
     * @param why   why it is set so, in a few words
     * @param link  address of the vendor's documentation
     */
    public record Option(String name, String value, String why, String link) {
    }

    /** Starts a description; id is the adapter's class name. */
    public static About of(Class<? extends Store> script, String name, String family, String colour,
                           String library, String about) {
        return new About(script.getSimpleName(), name, family, colour, library, about, Map.of(), List.of(), Map.of(), Map.of());
    }

    /** The same store under a second name: a control. Its id is that of the first and "Again", by which the two are compared. */
    public About again(Class<? extends Store> script, String name, String colour) {
        return new About(script.getSimpleName(), name, CONTROL, colour, library, about, cannot, options, settings, fixed);
    }

    /** This description with a workload that the store cannot do. */
    public About cannot(Workload workload, String reason) {
        Map<Workload, String> more = new LinkedHashMap<>(cannot);
        more.put(workload, reason);
        return new About(id, name, family, colour, library, about, more, options, settings, fixed);
    }

    /** This description with one more option. */
    public About option(String name, Object value, String why, String link) {
        List<Option> more = new ArrayList<>(options);
        more.add(new Option(name, String.valueOf(value), why, link));
        return new About(id, this.name, family, colour, library, about, cannot, more, settings, fixed);
    }

    /** This description with a setting that this store has, and what it changes, in a few words. */
    public About setting(Setting setting, String what) {
        Map<Setting, String> more = new EnumMap<>(Setting.class);
        more.putAll(settings);
        more.put(setting, what);
        return new About(id, name, family, colour, library, about, cannot, options, more, fixed);
    }

    /** This description with a setting that always has one value here, and why: a case with another one is "n/a". */
    public About fixed(Setting setting, String value, String why) {
        Map<String, String> more = new LinkedHashMap<>(fixed);
        more.put(setting + "=" + value, why);
        return new About(id, name, family, colour, library, about, cannot, options, settings, more);
    }

    /** Why this store cannot run a case, or null: it lacks a setting that the case changes, or has it fixed otherwise. */
    public String lacks(Shape shape) {
        for (Map.Entry<Setting, String> wanted : shape.settings().entrySet()) {
            Setting setting = wanted.getKey();
            List<String> always = fixed.keySet().stream().filter(each -> each.startsWith(setting + "=")).toList();
            if (!settings.containsKey(setting) && always.isEmpty()) {
                return "has no setting " + setting;
            }
            if (!always.isEmpty() && !always.contains(setting + "=" + wanted.getValue())) {
                return fixed.get(always.get(0));
            }
        }
        return null;
    }
}
