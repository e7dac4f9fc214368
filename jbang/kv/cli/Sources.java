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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import kv.store.UserError;
import kv.workloads.Workloads;

/**
 * The source that was compiled, for a notebook to show: methods as they are written, found by the
 * compiler's own tree.
 */
public final class Sources {

    private static final Pattern NAMED = Pattern.compile("^//SOURCES (.+)$", Pattern.MULTILINE);

    private static final Pattern EXTENDS = Pattern.compile("\\bclass \\w+ extends (\\w+)");

    private Sources() {}

    /**
     * Methods of a file of the harness as Markdown, in the file's order.
     *
     * @param file below {@code jbang}, as "kv/bench/Passes.java"
     * @param names of the methods
     * @throws UserError when the file has none of them
     */
    public static String method(String file, String... names) throws IOException {
        return markdown(List.of(root().resolve(file)), Set.of(names));
    }

    /**
     * The class of a workload as Markdown, and those of its package that it extends.
     *
     * @param name as records have it: "readKey"
     * @throws UserError when there is none
     */
    public static String workload(String name) throws IOException {
        String type = Workloads.named(name).getClass().getSimpleName();
        return withParents(root().resolve("kv/workloads"), type);
    }

    static String withParents(Path folder, String type) throws IOException {
        StringBuilder shown = new StringBuilder();
        Path file = folder.resolve(type + ".java");
        while (Files.exists(file)) {
            String text = Files.readString(file);
            shown.append("`%s`:\n\n```java\n%s\n```\n\n"
                    .formatted(
                            file.getFileName(),
                            text.substring(text.indexOf("/**")).strip()));
            Matcher parent = EXTENDS.matcher(text);
            file = folder.resolve(parent.find() ? parent.group(1) + ".java" : "none");
        }
        return shown.toString();
    }

    /**
     * Methods of a store's script, and of what it is built with, as Markdown: {@code of("RocksDb",
     * "put", "get", "Load.close")}.
     *
     * @param names of the methods; behind its class and a dot, of that class only
     * @throws UserError when it has none of them
     */
    public static String of(String store, String... names) throws IOException {
        Path script = root().resolve("stores").resolve(store + ".java");
        return markdown(withSources(script), Set.of(names));
    }

    /**
     * A function of a C file as Markdown.
     *
     * @param file below {@code jbang}, as "families/rocks.c"
     * @param name of the function, whose first line begins in the first column and ends with its
     *     opening brace
     * @throws UserError when the file has none of that name
     */
    public static String function(String file, String name) throws IOException {
        return function(root().resolve(file), name);
    }

    static String function(Path path, String name) throws IOException {
        Pattern function = Pattern.compile(
                "^\\w[^\\n]*\\b" + name + "\\([^\\n]*\\{\\n(.*\\n)*?}", Pattern.MULTILINE);
        Matcher found = function.matcher(Files.readString(path));
        if (!found.find()) {
            throw missing(Set.of(name), path.getFileName());
        }
        return "`%s`:\n\n```c\n%s\n```\n\n".formatted(path.getFileName(), found.group());
    }

    /** A script, and the files that it and they name by {@code //SOURCES}, the harness apart. */
    static Set<Path> withSources(Path script) throws IOException {
        Set<Path> files = new LinkedHashSet<>(List.of(script));
        for (List<Path> next = List.of(script); !next.isEmpty(); ) {
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
        return files;
    }

    /** Methods of some files as Markdown: each with its file and its class. */
    static String markdown(Iterable<Path> files, Set<String> names) throws IOException {
        StringBuilder shown = new StringBuilder();
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                String text = unit.getSourceFile().getCharContent(true).toString();
                new Methods(unit, text, positions, names, shown).scan(unit, "");
            }
        }
        if (shown.isEmpty()) {
            throw missing(names, files);
        }
        return shown.toString();
    }

    private static UserError missing(Set<String> names, Object where) {
        return new UserError("There is no method " + String.join(", ", names) + " in " + where);
    }

    /** Finds methods by their names; what is visited with each node is the class it is in. */
    private static final class Methods extends TreePathScanner<Void, String> {

        private final CompilationUnitTree unit;
        private final String text;
        private final SourcePositions positions;
        private final Set<String> names;
        private final StringBuilder shown;

        Methods(
                CompilationUnitTree unit,
                String text,
                SourcePositions positions,
                Set<String> names,
                StringBuilder shown) {
            this.unit = unit;
            this.text = text;
            this.positions = positions;
            this.names = names;
            this.shown = shown;
        }

        @Override
        public Void visitClass(ClassTree type, String owner) {
            boolean anonymous = type.getSimpleName().isEmpty();
            return super.visitClass(
                    type, anonymous ? owner : type.getSimpleName().toString());
        }

        @Override
        public Void visitMethod(MethodTree method, String owner) {
            String name = method.getName().toString();
            boolean named = names.contains(name) || names.contains(owner + "." + name);
            if (!named || method.getBody() == null) {
                return super.visitMethod(method, owner);
            }
            Path file = Path.of(unit.getSourceFile().toUri()).getFileName();
            shown.append("`%s`, class `%s`:\n\n```java\n%s\n```\n\n"
                    .formatted(file, owner, code(method)));
            return null;
        }

        /** A method as it is written, from the first column on. */
        private String code(MethodTree method) {
            int start = (int) positions.getStartPosition(unit, method);
            int line = text.lastIndexOf('\n', start) + 1;
            int end = (int) positions.getEndPosition(unit, method);
            return text.substring(line, end).stripIndent();
        }
    }

    /** The folder {@code jbang}: where the launcher says, or seen from a notebook's folder. */
    private static Path root() {
        String named = System.getenv("KV_SOURCES");
        return (named == null ? Path.of("../../jbang") : Path.of(named))
                .toAbsolutePath()
                .normalize();
    }
}
