package kv.workloads;

/** Open the database again, and get every entry: its files are still in the page cache. */
public final class ReadLukewarm extends Reopen {}
