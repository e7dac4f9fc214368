package kv.bench;

import java.util.Objects;
import java.util.Set;
import kv.store.Capability;
import kv.store.CaseSpec;
import kv.store.Setting;
import kv.store.StoreDescriptor;
import kv.store.Sync;

/**
 * What is done with a store while the clock runs: one class for each workload, in
 * {@code kv.workloads}, which says what it needs first, does it, verifies it and counts it. One
 * pass handles every entry once, if it does not say otherwise.
 */
public abstract class Workload {

    /** What has to be done to a database before. */
    public enum First {
        /** None: it makes the database, which those that read find. */
        NOTHING,
        LOAD,
        /** A load, and all its entries overwritten since. */
        AGEING
    }

    /** The database that those after it find. */
    public enum Leaves {
        THE_SAME,
        A_NEW_ONE,
        AN_AGED_ONE
    }

    private final First first;
    private final Leaves leaves;

    protected Workload(First first, Leaves leaves) {
        this.first = first;
        this.leaves = leaves;
    }

    /** The name that records have: its class's, with a small letter first. */
    public String name() {
        String type = getClass().getSimpleName();
        return Character.toLowerCase(type.charAt(0)) + type.substring(1);
    }

    public final First first() {
        return first;
    }

    public final Leaves leaves() {
        return leaves;
    }

    /** Whether it makes the database. */
    public final boolean loads() {
        return first == First.NOTHING;
    }

    /** Whether it makes an aged database, or reads one. */
    public final boolean ages() {
        return first == First.AGEING || leaves == Leaves.AN_AGED_ONE;
    }

    /** Whether a pass begins with opening the database. */
    public boolean reopens() {
        return false;
    }

    /** What a store has to be able to do besides puts and gets. */
    public Set<Capability> needs() {
        return Set.of();
    }

    /** Whether it asks for keys that were never written. */
    public boolean asksForAbsentKeys() {
        return false;
    }

    /** Why a store lacks what it needs; null where it does not. */
    public final String unsupportedReason(StoreDescriptor store) {
        if (asksForAbsentKeys() && store.findsByNumber()) {
            return "finds an entry by its number, and what was not written has none";
        }
        return needs().stream()
                .map(store::unsupportedReason)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Whether it compares a checksum of what values hold. */
    public boolean looksIntoValues() {
        return false;
    }

    /** Whether several threads can share it. */
    public boolean isShared() {
        return false;
    }

    /** Whether one more thread has to write meanwhile. */
    public boolean isBesideWriter() {
        return false;
    }

    /** Whether it asks for what was committed after its process is gone. */
    public boolean outlivesProcess() {
        return false;
    }

    /** Whether it can follow a load in key order of keys that are random. */
    public boolean followsLoadInKeyOrder() {
        return isShared();
    }

    /** Why it cannot be done in a case, whatever the store; null where it can. */
    public final String impossible(CaseSpec spec) {
        if (ages() && spec.sequential()) {
            return "a load in sequential order is written once, in that order";
        }
        if (looksIntoValues() && spec.settings().containsKey(Setting.WRITES)) {
            return "while values change there is no checksum to expect";
        }
        if (spec.shared() && !isShared() || spec.loadsInKeyOrder() && !followsLoadInKeyOrder()) {
            return "is measured with one thread that writes and reads in one order";
        }
        if (isBesideWriter() && !spec.settings().containsKey(Setting.WRITES)) {
            return "needs a case in which one more thread writes";
        }
        if (outlivesProcess() && spec.sync() == Sync.OFF) {
            return "what need not survive its process cannot be missed";
        }
        return null;
    }

    /**
     * Warms it up and measures it.
     *
     * @throws Exception what the store throws, or that something else came back than was written
     */
    public abstract Measurement measure(Passes passes) throws Exception;

    @Override
    public final String toString() {
        return name();
    }
}
