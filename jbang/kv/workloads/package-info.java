/**
 * One class for each workload, with the loops and the sinks that they share: all that runs an entry
 * at a time. A trial defines these classes, and the store's own, anew for each workload, so that
 * what the compiler learnt from one does not show in the next.
 */
package kv.workloads;
