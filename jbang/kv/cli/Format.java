package kv.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kv.bench.Measurement;
import kv.store.CaseSpec;
import kv.trial.Trial;
import kv.workloads.Workloads;

/** Numbers and tables for people. */
final class Format {

    private static final List<String> CASE =
            List.of("store", "keys", "order", "value, B", "settings");

    private Format() {}

    /** What the terminal shows of a script's trial, which has one case. */
    static String summary(Trial trial) {
        Trial.Case measured = trial.cases().get(0);
        String settings =
                measured.settings().isEmpty() ? "" : ", " + CaseSpec.describe(measured.settings());
        String heading = "%s, %s: %,d entries, %s keys, %d-byte values, %s order%s"
                .formatted(
                        trial.store().name(),
                        trial.store().engine(),
                        measured.entries(),
                        measured.keys(),
                        measured.valueBytes(),
                        measured.order(),
                        settings);
        Long bytes = measured.space().closedBytes();
        String space = bytes == null
                ? ""
                : "%n%nspace after close: %,d bytes; a flat array takes %,d bytes"
                        .formatted(bytes, measured.flatBytes());
        return heading + "\n\n" + text(trial) + space;
    }

    /**
     * What the terminal shows of one trial: a row for each workload, with the median pass in ms, ns
     * per entry and GB/s.
     */
    static String text(Trial trial) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("workload", "ms", "ns/entry", "GB/s", "note"));
        trial.cases().stream().flatMap(c -> c.results().stream()).forEach(r -> {
            double ns = Measurement.median(r.iterationNs());
            rows.add(
                    r.status() == Trial.Status.OK
                            ? List.of(
                                    r.workload().toString(),
                                    "%,.1f".formatted(ns / 1e6),
                                    "%,.1f".formatted(ns / r.entries()),
                                    "%.2f".formatted(r.userBytes() / ns),
                                    "")
                            : List.of(r.workload().toString(), "", "", "", note(r)));
        });
        int[] widths = widths(rows);
        return rows.stream()
                .map(row -> row(row, widths, "  ", 1, 4).stripTrailing())
                .collect(Collectors.joining("\n"));
    }

    /**
     * What a notebook shows of trials that were measured before: what each printed, when it began
     * and how long it took. Of records older than that field there is a line each, and none of what
     * is n/a, as the table says that.
     */
    static String log(List<Trial> trials) {
        StringBuilder text = new StringBuilder();
        List<Trial> silent = trials.stream()
                .filter(t -> t.output().isEmpty() && t.status() != Trial.Status.NA)
                .toList();
        for (Trial trial : trials) {
            if (!trial.output().isEmpty()) {
                String failed = trial.status() == Trial.Status.OK ? "" : ", " + failure(trial);
                text.append("%s, trial %d, started %s, %.0f s%s\n"
                        .formatted(
                                trial.store().name(),
                                trial.trial(),
                                trial.started(),
                                trial.seconds(),
                                failed));
                trial.output().forEach(line -> text.append("  ").append(line).append('\n'));
            }
        }
        if (!silent.isEmpty()) {
            text.append("These records are older than the field that keeps what a trial prints:\n")
                    .append(silent(silent));
        }
        return text.toString();
    }

    private static String silent(List<Trial> trials) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("store", "trial", "started", "s", ""));
        for (Trial trial : trials) {
            rows.add(List.of(
                    trial.store().name(),
                    "" + trial.trial(),
                    trial.started(),
                    "%.0f".formatted(trial.seconds()),
                    failure(trial)));
        }
        int[] widths = widths(rows);
        return rows.stream()
                .map(row -> row(row, widths, "  ", 1, 4).stripTrailing() + "\n")
                .collect(Collectors.joining());
    }

    private static String failure(Trial trial) {
        return trial.status() == Trial.Status.OK ? "" : "failed: " + trial.reason();
    }

    /**
     * What a notebook shows of all trials: a row for each store and case, the median trial's ns per
     * entry for each workload that there is. What failed is named below, and once what this machine
     * lacks for a store.
     */
    static String markdown(List<Trial> trials) {
        Map<List<String>, Map<String, List<Trial.Result>>> table = new LinkedHashMap<>();
        Set<String> workloads =
                new TreeSet<>(Comparator.<String>comparingInt(Workloads.NAMES::indexOf)
                        .thenComparing(Comparator.naturalOrder()));
        for (Trial trial : trials) {
            for (Trial.Case c : trial.cases()) {
                for (Trial.Result r : c.results()) {
                    table.computeIfAbsent(
                                    List.of(
                                            trial.store().name(),
                                            c.keys().toString(),
                                            c.order().toString(),
                                            "%,d".formatted(c.valueBytes()),
                                            CaseSpec.describe(c.settings())),
                                    k -> new LinkedHashMap<>())
                            .computeIfAbsent(r.workload(), k -> new ArrayList<>())
                            .add(r);
                    workloads.add(r.workload());
                }
            }
        }
        List<List<String>> rows = new ArrayList<>();
        List<String> header = new ArrayList<>(CASE);
        workloads.forEach(w -> header.add(w + ", ns"));
        rows.add(header);
        table.forEach((key, results) -> {
            List<String> row = new ArrayList<>(key);
            workloads.forEach(w -> row.add(cell(results.getOrDefault(w, List.of()))));
            rows.add(row);
        });
        int[] widths = widths(rows);
        List<String> lines = new ArrayList<>(rows.stream()
                .map(row -> "| " + row(row, widths, " | ", CASE.size(), widths.length) + " |")
                .toList());
        // As wide as the cells: pandoc takes the columns' widths from the dashes
        lines.add(
                1,
                IntStream.range(0, widths.length)
                        .mapToObj(i -> (i < CASE.size() ? ":" : "-")
                                + "-".repeat(widths[i])
                                + (i < CASE.size() ? "-" : ":"))
                        .collect(Collectors.joining("|", "|", "|")));
        return String.join("\n", lines) + "\n"
                + trials.stream()
                        .map(Format::footnote)
                        .filter(note -> !note.isEmpty())
                        .distinct()
                        .map(note -> "\n* " + note)
                        .collect(Collectors.joining());
    }

    private static String footnote(Trial trial) {
        return switch (trial.status()) {
            case OK -> "";
            case NA -> trial.store().name() + ", n/a: " + trial.reason();
            case FAILED ->
                "%s, trial %d, %s".formatted(trial.store().name(), trial.trial(), failure(trial));
        };
    }

    private static String cell(List<Trial.Result> results) {
        List<Double> good = results.stream()
                .filter(r -> r.status() == Trial.Status.OK)
                .map(r -> Measurement.median(r.iterationNs()) / r.entries())
                .toList();
        if (good.isEmpty()) {
            return results.stream().anyMatch(r -> r.status() == Trial.Status.FAILED)
                    ? "failed"
                    : "n/a";
        }
        return (Measurement.median(good) < 100 ? "%,.1f" : "%,.0f")
                .formatted(Measurement.median(good));
    }

    private static String note(Trial.Result r) {
        return (r.status() == Trial.Status.NA ? "n/a: " : "failed: ") + r.reason();
    }

    private static int[] widths(List<List<String>> rows) {
        return IntStream.range(0, rows.get(0).size())
                .map(i -> Collections.max(
                        rows.stream().map(row -> row.get(i).length()).toList()))
                .toArray();
    }

    /**
     * One line; the columns from {@code first} to before {@code last} hold numbers and are aligned
     * right.
     */
    private static String row(
            List<String> cells, int[] widths, String between, int first, int last) {
        return IntStream.range(0, cells.size())
                .mapToObj(i -> {
                    String space = " ".repeat(widths[i] - cells.get(i).length());
                    return i >= first && i < last ? space + cells.get(i) : cells.get(i) + space;
                })
                .collect(Collectors.joining(between));
    }
}
