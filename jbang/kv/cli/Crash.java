package kv.cli;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import kv.crash.BareFile;
import kv.crash.Commits;
import kv.crash.Examination;
import kv.crash.Ledger;
import kv.crash.Pricing;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.UserError;
import kv.store.Workload;
import kv.trial.Provenance;
import kv.trial.Trial;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The programs of a crash test, for who does the crashing: one commits transactions and says which,
 * one says which of them are left. Another times commits.
 */
@Command(name = "crash", sortOptions = false)
public final class Crash {

    private static final int MISTAKE = 2;

    /** What decides the transactions: the same for both programs. */
    static final class Given {

        @Option(names = "--store", required = true, description = "the store's id")
        String store;

        @Option(names = "--sync", description = "off, os or on; not given where it has no such")
        String sync;

        @Option(names = "--transactions", defaultValue = "300")
        int transactions;

        @Option(names = "--batch", defaultValue = "10", description = "entries of a transaction")
        int batch;

        @Option(names = "--value-bytes", defaultValue = "100")
        int valueBytes;

        @Option(names = "--seed", defaultValue = "" + CaseSpec.SEED)
        long seed;

        Store store() {
            return store.equals(BareFile.class.getSimpleName())
                    ? new BareFile()
                    : Notebook.store(store);
        }

        Ledger ledger(Store store) {
            StoreDescriptor descriptor = store.describe();
            CaseSpec spec = new CaseSpec(
                            KeyKind.INT, Order.RANDOM, transactions * batch, valueBytes)
                    .withSeed(seed);
            spec = sync == null ? spec : spec.with(Setting.SYNC, sync);
            String reason = descriptor.unsupportedReason(spec);
            if (reason != null) {
                throw new UserError(descriptor.name() + " cannot run this case: " + reason);
            }
            boolean overwrites = descriptor.unsupportedReason(Workload.OVERWRITE) == null;
            return new Ledger(spec, store.intKeyOrder(), batch, overwrites);
        }
    }

    private Crash() {}

    public static void main(String... arguments) {
        CommandLine line = new CommandLine(new Crash());
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            if (e instanceof UserError) {
                command.getErr().println(e.getMessage());
                return MISTAKE;
            }
            throw e;
        });
        System.exit(line.execute(arguments));
    }

    @Command(
            name = "commit",
            description = "Commits all transactions in a database that it makes in DIRECTORY, and"
                    + " prints the number of each when it is committed.")
    int commit(
            @Mixin Given given,
            @Parameters(paramLabel = "DIRECTORY") Path directory,
            @Option(names = "--wait", description = "goes on when a line has come for each number")
                    boolean wait)
            throws Exception {
        Store store = given.store();
        made(directory);
        new Commits(store, given.ledger(store), own(), wait ? lines() : null).run(directory);
        return 0;
    }

    /** Makes a folder, and has its name reach the device: to lose it would not be the store's. */
    private static void made(Path directory) throws IOException {
        Path whole = Files.createDirectories(directory.toAbsolutePath());
        try (FileChannel parent = FileChannel.open(whole.getParent())) {
            parent.force(true);
        }
    }

    @Command(
            name = "examine",
            description = "For each line \"NUMBER DIRECTORY\" that it is given, prints what is"
                    + " there of the transactions up to that number, as JSON.")
    int examine(@Mixin Given given) throws Exception {
        Store store = given.store();
        Examination examination = new Examination(store, given.ledger(store));
        PrintStream said = own();
        BufferedReader lines = lines();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int blank = line.indexOf(' ');
            int acknowledged = Integer.parseInt(line.substring(0, blank));
            said.println(Trial.GSON
                    .toJsonTree(examination.of(Path.of(line.substring(blank + 1)), acknowledged))
                    .toString());
            said.flush();
        }
        return 0;
    }

    @Command(
            name = "price",
            description = "Times commits in a database that it makes in DIRECTORY, and prints what"
                    + " they took, as JSON.")
    int price(
            @Mixin Given given,
            @Parameters(paramLabel = "DIRECTORY") Path directory,
            @Option(names = "--warm-up", required = true, paramLabel = "SECONDS") double warmUp,
            @Option(names = "--seconds", required = true, paramLabel = "SECONDS") double seconds)
            throws Exception {
        Store store = given.store();
        PrintStream said = own();
        made(directory);
        said.println(Trial.GSON
                .toJsonTree(Pricing.of(store, given.ledger(store), directory, warmUp, seconds))
                .toString());
        said.flush();
        return 0;
    }

    @Command(name = "describe", description = "Prints what the store is, as JSON.")
    int describe(@Mixin Given given) {
        PrintStream said = own();
        said.println(Trial.GSON.toJson(Provenance.of(given.store())));
        said.flush();
        return 0;
    }

    private static BufferedReader lines() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }

    /** Standard output for this program alone: what a store prints goes where errors go. */
    private static PrintStream own() {
        System.setOut(System.err);
        return new PrintStream(
                new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    }
}
