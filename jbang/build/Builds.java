import dev.jbang.cli.JBang;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;

/**
 * Has JBang do one thing with scripts, one after the other in this one JVM, where each costs half
 * of what it costs in a JVM of its own. To be run with JBang's jar as the class path; arguments:
 * JBang's command, {@code build} or {@code "info tools"}, and the scripts. Prints for each script,
 * after whatever JBang and the compiler have to say, a line of an ASCII record separator and the
 * command's answer, an empty object where it has none, or nothing where it fails.
 */
class Builds {
    public static void main(String[] arguments) {
        var out = System.out;
        var command = Arrays.asList(arguments[0].split(" "));
        for (var script : Arrays.asList(arguments).subList(1, arguments.length)) {
            var answer = new ByteArrayOutputStream();
            System.setOut(new PrintStream(answer, true));
            var words = new ArrayList<>(command);
            words.add(script);
            var works = JBang.getCommandLine().execute(words.toArray(new String[0])) == 0;
            var said = answer.toString().replaceAll("\\R", " ");
            out.println('\u001e' + (!works ? "" : said.isBlank() ? "{}" : said));
            out.flush();
        }
        System.exit(0);
    }
}
