/**
 * What people and the launcher use: the scripts' command line, the catalogue, tables, and what a
 * notebook runs in.
 */
package kv.cli;
