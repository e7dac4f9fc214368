package kv.bench;

/**
 * Adds up what passes cost. It is read around the clock, never while it runs: reading slows what
 * follows by about 2 ms.
 */
public interface CostMeter {

    /** Forgets what was added up, and counts from now. */
    void begin();

    /** Counts from now: what came since the last {@link #pause()} does not count. */
    void resume();

    /** Adds what came since {@link #begin()} or {@link #resume()}. */
    void pause();

    /** What was added up. */
    Cost total();
}
