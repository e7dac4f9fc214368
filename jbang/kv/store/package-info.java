/**
 * The contract: all that the author of a store has to read. {@link kv.store.Store} is what a
 * store's script implements, {@link kv.store.Entry} what it is given to write,
 * {@link kv.store.Sink} what it gives its reads to. Imports no other package.
 */
package kv.store;
