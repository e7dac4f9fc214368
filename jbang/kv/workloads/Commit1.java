package kv.workloads;

/** Overwrite one entry of a loaded database and commit, again and again. */
public final class Commit1 extends Commits {

    public Commit1() {
        super(1);
    }
}
