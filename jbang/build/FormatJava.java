///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//DEPS com.palantir.javaformat:palantir-java-format:2.81.0
//RUNTIME_OPTIONS --add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED
//RUNTIME_OPTIONS --add-exports=jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED
//RUNTIME_OPTIONS --add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED
//RUNTIME_OPTIONS --add-exports=jdk.compiler/com.sun.tools.javac.parser=ALL-UNNAMED
//RUNTIME_OPTIONS --add-exports=jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED
//RUNTIME_OPTIONS --add-exports=jdk.compiler/com.sun.tools.javac.util=ALL-UNNAMED

import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.ImportOrderer;
import com.palantir.javaformat.java.JavaFormatterOptions;
import com.palantir.javaformat.java.JavaFormatterOptions.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Lays out Java sources: palantir-java-format, lines of at most 100 characters. Arguments: files
 * and folders, and --check to change nothing, name the files that are laid out otherwise, or have
 * longer lines, and end with 1.
 */
class FormatJava {

    private static final int COLUMNS = 100;
    private static final String DIRECTIVE = "(///usr/bin/env jbang|//[A-Z_]+ )";

    private static final Formatter FORMATTER = Formatter.createFormatter(
            JavaFormatterOptions.builder().style(Style.AOSP).formatJavadoc(true).build());

    public static void main(String... arguments) throws Exception {
        List<String> paths = new ArrayList<>(Arrays.asList(arguments));
        boolean check = paths.remove("--check");
        if (paths.isEmpty()) {
            System.err.println(
                    "Name the files and folders to format, as jbang tests/stores; --check changes"
                            + " nothing");
            System.exit(2);
        }
        int otherwise = 0;
        for (String path : paths) {
            for (Path file : sources(Path.of(path))) {
                String text = Files.readString(file);
                String formatted = format(text);
                long tooLong = formatted
                        .lines()
                        .filter(line -> line.length() > COLUMNS)
                        .count();
                if (tooLong > 0) {
                    System.out.printf(
                            "%s: %d lines of more than %d characters%n", file, tooLong, COLUMNS);
                }
                if (!formatted.equals(text)) {
                    System.out.println(file + (check ? ": not formatted" : ": formatted"));
                    if (!check) {
                        Files.writeString(file, formatted);
                    }
                }
                otherwise += tooLong > 0 || check && !formatted.equals(text) ? 1 : 0;
            }
        }
        System.exit(otherwise > 0 ? 1 : 0);
    }

    private static List<Path> sources(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }

    /**
     * JBang's directives are comments without a space, which the formatter would insert: they are
     * hidden from it.
     */
    private static String format(String text) throws Exception {
        String hidden = text.replaceAll("(?m)^//(?=" + DIRECTIVE.replace("//", "") + ")", "// @");
        String formatted = FORMATTER.formatSourceAndFixImports(hidden);
        formatted = ImportOrderer.reorderImports(formatted, Style.GOOGLE); // in one group
        return formatted.replaceAll("(?m)^// @", "//");
    }
}
