/**
 * What is left of a database after a crash: a ledger of transactions, the program that commits them
 * one by one, and the one that opens what is left and says which of them are there. Imports
 * {@link kv.data} and what is below.
 */
package kv.crash;
