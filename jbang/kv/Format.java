package kv;

import java.util.List;
import java.util.stream.Collectors;

/** Numbers and tables for people. */
final class Format {

    private Format() {
    }

    /** The middle of the values; of two middle ones, their mean. Not a number when there are none. */
    static double median(List<Long> values) {
        List<Long> sorted = values.stream().sorted().toList();
        int n = sorted.size();
        return n == 0 ? Double.NaN : (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2.0;
    }

    /** A Markdown table of a trial's results: the median pass in ms, ns per entry and GB/s. */
    static String markdown(List<Trial> trials) {
        StringBuilder table = new StringBuilder("""
                | Store | Trial | Keys | Order | Workload | ms | ns/entry | GB/s | Note |
                |:--|--:|:--|:--|:--|--:|--:|--:|:--|
                """);
        for (Trial trial : trials) {
            for (Trial.Case c : trial.cases()) {
                for (Trial.Result r : c.results()) {
                    table.append("| %s | %d | %s | %s | %s | %s |%n".formatted(trial.store().name(), trial.trial(),
                            c.keys(), c.order(), r.workload(), String.join(" | ", cells(r))));
                }
            }
            if (trial.cases().isEmpty()) {
                table.append("| %s | %d | | | | | | | %s |%n".formatted(trial.store().name(), trial.trial(), trial.reason()));
            }
        }
        return table.toString();
    }

    private static List<String> cells(Trial.Result r) {
        if (r.status() != Trial.Status.OK) {
            return List.of("", "", "", (r.status() == Trial.Status.NA ? "n/a: " : "failed: ") + r.reason());
        }
        double ns = median(r.iterationNs());
        return List.of("%,.1f".formatted(ns / 1e6), "%,.1f".formatted(ns / r.entries()), "%.2f".formatted(r.userBytes() / ns), "");
    }

    /** The same for a terminal: columns aligned, no Markdown. */
    static String text(Trial trial) {
        List<String[]> rows = markdown(List.of(trial)).lines().filter(l -> !l.startsWith("|:"))
                .map(l -> l.substring(1, l.length() - 1).split("\\|", -1)).toList();
        int[] width = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                row[i] = row[i].strip();
                width[i] = Math.max(width[i], row[i].length());
            }
        }
        return rows.stream().map(row -> {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                boolean number = i == 1 || i >= 5 && i <= 7;
                line.append(("%" + (number ? "" : "-") + Math.max(1, width[i]) + "s  ").formatted(row[i]));
            }
            return line.toString().stripTrailing();
        }).collect(Collectors.joining("\n"));
    }
}
