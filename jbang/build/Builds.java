import dev.jbang.cli.JBang;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/**
 * Has JBang build scripts one after the other in this one JVM, where each costs half of what it
 * costs in a JVM of its own. To be run with JBang's jar as the class path and the scripts as
 * arguments. Prints for each script, after whatever JBang and the compiler have to say, a line of
 * an ASCII record separator and what {@code jbang info tools} answers, or nothing when it does not
 * build.
 */
class Builds {
    public static void main(String[] scripts) {
        var out = System.out;
        for (var script : scripts) {
            var answer = new ByteArrayOutputStream();
            System.setOut(new PrintStream(answer, true));
            var builds = execute("build", script) && execute("info", "tools", script);
            out.println('\u001e' + (builds ? answer.toString().replaceAll("\\R", " ") : ""));
            out.flush();
        }
        System.exit(0);
    }

    static boolean execute(String... command) {
        return JBang.getCommandLine().execute(command) == 0;
    }
}
