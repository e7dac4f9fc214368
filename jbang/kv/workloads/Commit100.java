package kv.workloads;

/** Overwrite 100 entries of a loaded database and commit, again and again. */
public final class Commit100 extends Commits {

    public Commit100() {
        super(100);
    }
}
