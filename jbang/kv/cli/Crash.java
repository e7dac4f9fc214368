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
import kv.crash.Price;
import kv.crash.Pricing;
import kv.crash.Recovery;
import kv.crash.Reopening;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.UserError;
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

        @Option(
                names = "--recovery",
                description = "the script that calls its vendor's recovery, first of all")
        String recovery;

        /** The recovery call that is asked for; null for none. */
        Recovery recovery() {
            try {
                return recovery == null
                        ? null
                        : Class.forName("recoveries." + recovery)
                                .asSubclass(Recovery.class)
                                .getConstructor()
                                .newInstance();
            } catch (ReflectiveOperationException | ClassCastException e) {
                throw new UserError("There is no recovery " + recovery + ": " + e);
            }
        }

        Ledger ledger(Store store, int threads) {
            StoreDescriptor descriptor = store.describe();
            CaseSpec spec = new CaseSpec(
                            KeyKind.INT, Order.RANDOM, transactions * batch, valueBytes)
                    .withSeed(seed);
            spec = sync == null ? spec : spec.with(Setting.SYNC, sync);
            spec = threads == 1 ? spec : spec.with(Setting.THREADS, threads);
            String reason = descriptor.unsupportedReason(spec);
            if (reason != null) {
                throw new UserError(descriptor.name() + " cannot run this case: " + reason);
            }
            // Of several threads each has its own entries: none waits for another's lock of one
            return new Ledger(spec, store.intKeyOrder(), batch, threads == 1);
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
        PrintStream said = own();
        BufferedReader heard = wait ? lines() : null;
        new Commits(store, given.ledger(store, 1)).run(directory, number -> {
            said.println(number);
            said.flush();
            if (heard != null && heard.readLine() == null) {
                throw new IOException("nobody listens any more");
            }
        });
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
        Examination examination = new Examination(store, given.recovery(), given.ledger(store, 1));
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
            @Option(names = "--threads", defaultValue = "1") int threads,
            @Option(names = "--warm-up", required = true, paramLabel = "SECONDS") double warmUp,
            @Option(names = "--seconds", required = true, paramLabel = "SECONDS") double seconds)
            throws Exception {
        Store store = given.store();
        PrintStream said = own();
        made(directory);
        Ledger ledger = given.ledger(store, threads);
        Price price = new Pricing(store, ledger, threads).of(directory, warmUp, seconds);
        said.println(Trial.GSON.toJsonTree(price).toString());
        said.flush();
        return 0;
    }

    @Command(
            name = "reopen",
            description = "For each line \"DIRECTORY\" that it is given, opens the database there,"
                    + " of which all transactions were committed, and prints what it took, as"
                    + " JSON.")
    int reopen(@Mixin Given given) throws Exception {
        Store store = given.store();
        Recovery recovery = given.recovery();
        Ledger ledger = given.ledger(store, 1);
        PrintStream said = own();
        BufferedReader lines = lines();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            said.println(Trial.GSON
                    .toJsonTree(Reopening.of(store, recovery, ledger, Path.of(line)))
                    .toString());
            said.flush();
        }
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
