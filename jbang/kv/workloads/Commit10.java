package kv.workloads;

/** Overwrite 10 entries of a loaded database and commit, again and again. */
public final class Commit10 extends Commits {

    public Commit10() {
        super(10);
    }
}
