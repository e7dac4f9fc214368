/**
 * What is not timed: the cases of a section, a trial and its record, what the process has cost, how
 * much space there is. Imports {@link kv.bench} and what is below.
 */
package kv.trial;
