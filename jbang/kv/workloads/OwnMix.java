package kv.workloads;

import java.util.EnumMap;
import java.util.Map;
import kv.store.CaseSpec;
import kv.store.Setting;
import kv.store.Sync;

/** A mix of a reader's own: shares, popularity and length of ranges are in the case's settings. */
public final class OwnMix extends Mix {

    private static final Map<String, Kind> KINDS = Map.of(
            "get", Kind.READ,
            "put", Kind.UPDATE,
            "insert", Kind.INSERT,
            "delete", Kind.DELETE,
            "range", Kind.SCAN,
            "floor", Kind.FLOOR,
            "modify", Kind.MODIFY);
    private static final String MIX = "get-0.5_put-0.5"; // where the case does not say
    private static final int RANGE = 100; // entries, likewise
    // Of a pass: a device may take a millisecond for each; and what ranges give is kept
    private static final int SYNCED_OPERATIONS = 2_000;
    private static final double MOST_SCANNED = 1e6;

    @Override
    protected Recipe recipe(CaseSpec spec) {
        Map<Kind, Double> shares = new EnumMap<>(Kind.class);
        for (String each : spec.settings().getOrDefault(Setting.MIX, MIX).split("_")) {
            String[] share = each.split("-");
            shares.put(KINDS.get(share[0]), Double.parseDouble(share[1]));
        }
        Choice choice = Choice.valueOf(
                spec.settings().getOrDefault(Setting.POPULARITY, "zipfian").toUpperCase());
        int range = spec.count(Setting.RANGE, RANGE);
        return new Recipe(shares, choice, range, range);
    }

    @Override
    protected int operations(CaseSpec spec) {
        Recipe recipe = recipe(spec);
        int most = spec.sync() == Sync.ON ? SYNCED_OPERATIONS : super.operations(spec);
        double scanned = recipe.shares().getOrDefault(Kind.SCAN, 0.0) * recipe.longestScan();
        return (int) Math.max(1, Math.min(most, MOST_SCANNED / Math.max(1, scanned)));
    }
}
