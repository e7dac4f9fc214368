/**
 * The timed path and nothing else: each workload's pass, the clock around it, the threads, and the
 * sink that verifies. With {@link kv.data} and {@link kv.store}, which it imports, it decides what
 * is measured.
 */
package kv.bench;
