package kv.cli;

import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import kv.bench.Workload;
import kv.store.CaseSpec;
import kv.store.Setting;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.UserError;
import kv.trial.Availability;
import kv.trial.Profile;
import kv.trial.Trial;
import kv.workloads.Workloads;

/**
 * Prints what there is to measure as JSON, for the launcher: the stores named as arguments with
 * their workloads, those that this machine lacks something for, the profiles, the settings.
 */
public final class Catalog {

    private Catalog() {}

    public static void main(String[] ids) {
        Map<String, Object> stores = new LinkedHashMap<>();
        Map<String, String> unavailable = new LinkedHashMap<>();
        for (String id : ids) {
            try {
                stores.put(id, described(Notebook.store(id)));
            } catch (LinkageError e) { // of its class, which is to load nothing
                String missing = Availability.missing(e);
                if (missing == null) {
                    throw e;
                }
                unavailable.put(id, missing);
            }
        }
        Map<String, Object> profiles = new LinkedHashMap<>();
        for (Profile p : Profile.values()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("entries", p.entries);
            fields.put("data_bytes", p.dataBytes);
            fields.put("first_load_seconds", p.firstLoadSeconds);
            fields.put("warmup_seconds", p.warmupSeconds);
            fields.put("iterations", p.iterations);
            fields.put("measure_seconds", p.measureSeconds);
            fields.put("quiet_seconds", p.quietSeconds);
            fields.put("trials", p.trials);
            fields.put("limit_seconds", p.limitSeconds);
            fields.put("heap", p.heap);
            profiles.put(p.toString(), fields);
        }
        Map<String, Object> catalog = new LinkedHashMap<>();
        catalog.put("stores", stores);
        catalog.put("unavailable", unavailable);
        catalog.put("profiles", profiles);
        catalog.put(
                "settings",
                Arrays.stream(Setting.values()).map(Setting::toString).toList());
        catalog.put("seed", CaseSpec.SEED);
        System.out.println(Trial.GSON.toJson(catalog));
    }

    private static JsonObject described(Store store) {
        StoreDescriptor about = store.describe();
        if (about == null) {
            throw new UserError("its describe() returns null: let it return a StoreDescriptor");
        }
        JsonObject described = Trial.GSON.toJsonTree(about).getAsJsonObject();
        described.add("unsupported", Trial.GSON.toJsonTree(Workloads.unsupported(about)));
        described.add(
                "workloads",
                Trial.GSON.toJsonTree(
                        Workloads.of(store).stream().map(Workload::name).toList()));
        return described;
    }
}
