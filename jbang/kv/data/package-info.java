/**
 * The entries: keys, values and their order, made off the heap before anything is timed. Imports
 * {@link kv.store} only.
 */
package kv.data;
