package kv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import kv.MapStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CliTest {

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Cli.commandLine(new MapStore());
        return line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
    }

    private int measure(String... more) {
        String[] arguments = {
            "write",
            "readSeq",
            "--entries",
            "100",
            "--profile",
            "smoke",
            "--work",
            folder.toString()
        };
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return run(all);
    }

    @Test
    void aCaseThatWorksIsATableAndNoughtFailed() {
        assertEquals(0, measure());
        assertTrue(
                out.toString().startsWith("Map, TreeMap: 100 entries, int keys"), out.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sync=maybe|sync is on, os or off, not maybe",
                "threads=0|threads is a number from 1 to 999999999 or a share as 0.1%, not 0",
                "colour=red|There is no setting 'colour'"
            })
    void aMistakeIsOneSentenceOnce(String set, String sentence) {
        assertEquals(2, measure("--set", set));
        assertEquals(
                1,
                err.toString().lines().filter(line -> line.startsWith(sentence)).count(),
                err.toString());
        assertEquals(1, err.toString().lines().count(), err.toString());
    }

    @Test
    void anArgumentThatIsNoneIsOneSentence() {
        assertEquals(2, run("--entries", "many"));
        assertEquals(1, err.toString().lines().count(), err.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "compression=on|Map cannot run this case: does not compress",
                "batch=7|Map cannot run this case: has no setting batch"
            })
    void whatTheStoreCannotDoEndsWithOne(String set, String sentence) {
        assertEquals(1, measure("--set", set));
        assertEquals(sentence, err.toString().strip());
    }

    @Test
    void theVersionNamesStoreEngineAndJava() {
        assertEquals(0, run("-V"));
        assertEquals(
                "Map: engine TreeMap, Java " + System.getProperty("java.version"),
                out.toString().strip());
    }
}
