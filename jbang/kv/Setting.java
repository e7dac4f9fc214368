package kv;

import com.google.gson.annotations.SerializedName;
import java.util.Arrays;

/**
 * What a case may change of a store's own options, to see what an option costs. A store declares in {@link About#setting}
 * those that it has; a case with another one is "n/a" for that store. Values are "on" and "off", or a number of
 * entries, which may be a share of them ("10%").
 */
public enum Setting {
    /** on: a commit waits until its data are on the device (exhibit A02). */
    @SerializedName("sync") SYNC("sync"),
    /** on: a commit also waits for the page that makes it valid (exhibit A04). */
    @SerializedName("metaSync") META_SYNC("metaSync"),
    /** on: writes go into the memory map instead of through buffers (exhibit A03). */
    @SerializedName("writeMap") WRITE_MAP("writeMap"),
    /** Entries written together: in one batch, or between two commits (exhibits A06, B02). */
    @SerializedName("batch") BATCH("batch");

    private final String label;

    Setting(String label) {
        this.label = label;
    }

    /** The setting of that name. @throws UserError when there is none, naming those that exist */
    public static Setting named(String name) {
        return Arrays.stream(values()).filter(s -> s.label.equals(name)).findFirst().orElseThrow(() ->
                new UserError("There is no setting '" + name + "'; choose from " + Arrays.toString(values())));
    }

    @Override
    public String toString() {
        return label;
    }
}
