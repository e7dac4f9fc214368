package kv.cli;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import kv.store.UserError;

/**
 * The source that was compiled, for a notebook to show: methods as they are written, found by the
 * compiler's own tree.
 */
public final class Sources {

    private static final Pattern NAMED = Pattern.compile("^//SOURCES (.+)$", Pattern.MULTILINE);

    private Sources() {}

    /**
     * Methods of a file of the harness as Markdown.
     *
     * @param file below {@code jbang}, as "kv/bench/ReadPass.java"
     * @param names of the methods
     */
    public static String method(String file, String... names) throws IOException {
        return markdown(List.of(root().resolve(file)), Set.of(names));
    }

    /**
     * Methods of a store's script, and of what it is built with, as Markdown: {@code of("RocksDb",
     * "put", "get", "ascend")}.
     */
    public static String of(String store, String... names) throws IOException {
        Set<Path> files =
                new LinkedHashSet<>(List.of(root().resolve("stores").resolve(store + ".java")));
        for (List<Path> next = List.copyOf(files); !next.isEmpty(); ) {
            List<Path> named = new ArrayList<>();
            for (Path file : next) {
                NAMED.matcher(Files.readString(file))
                        .results()
                        .flatMap(line -> Stream.of(line.group(1).split(" ")))
                        .filter(name -> !name.contains("*")) // the harness
                        .forEach(name -> named.add(file.resolveSibling(name).normalize()));
            }
            next = named.stream().filter(files::add).toList();
        }
        return markdown(files, Set.of(names));
    }

    private static String markdown(Iterable<Path> files, Set<String> names) throws IOException {
        StringBuilder shown = new StringBuilder();
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                String text = unit.getSourceFile().getCharContent(true).toString();
                String file =
                        Path.of(unit.getSourceFile().toUri()).getFileName().toString();
                new TreePathScanner<Void, String>() {
                    @Override
                    public Void visitClass(ClassTree type, String owner) {
                        return super.visitClass(
                                type,
                                type.getSimpleName().isEmpty()
                                        ? owner
                                        : type.getSimpleName().toString());
                    }

                    @Override
                    public Void visitMethod(MethodTree method, String owner) {
                        if (names.contains(method.getName().toString())
                                && method.getBody() != null) {
                            int start = (int) positions.getStartPosition(unit, method);
                            int line = text.lastIndexOf('\n', start) + 1;
                            String code = text.substring(
                                            line, (int) positions.getEndPosition(unit, method))
                                    .stripIndent();
                            shown.append("`")
                                    .append(file)
                                    .append("`, class `")
                                    .append(owner)
                                    .append("`:\n\n```java\n")
                                    .append(code)
                                    .append("\n```\n\n");
                            return null;
                        }
                        return super.visitMethod(method, owner);
                    }
                }.scan(unit, "");
            }
        }
        if (shown.isEmpty()) {
            throw new UserError("There is no method " + String.join(", ", names) + " in " + files);
        }
        return shown.toString();
    }

    /** The folder {@code jbang}: where the launcher says, or seen from a notebook's folder. */
    private static Path root() {
        String named = System.getenv("KV_SOURCES");
        return (named == null ? Path.of("../../jbang") : Path.of(named))
                .toAbsolutePath()
                .normalize();
    }
}
