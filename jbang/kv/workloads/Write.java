package kv.workloads;

/**
 * Put every entry into an empty store, in the case's order, in one transaction or batch after the
 * other, and close it.
 */
public final class Write extends Load {

    @Override
    public boolean isShared() {
        return true;
    }
}
