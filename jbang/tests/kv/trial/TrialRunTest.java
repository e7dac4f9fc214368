package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import kv.MapStore;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.KeyKind;
import kv.store.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A trial of several cases: each is measured, in an order that is another in another trial. */
class TrialRunTest {

    private static final int CASES = 6;

    @TempDir
    Path folder;

    private Trial trial(int trial, MapStore store, Trial before, List<Trial> checkpoints)
            throws Exception {
        Section section = Section.of("99-cases");
        for (int bytes = 1; bytes <= CASES; bytes++) {
            section.cases(List.of("write"), new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 10, bytes));
        }
        var context = new TrialRun.Context(
                trial, 0, Trial.Mode.ISOLATED, Profile.SMOKE, 1, folder, line -> {});
        return TrialRun.measure(section, store, context, before, checkpoints::add);
    }

    private List<Trial.Case> measured(int trial, List<Trial> checkpoints) throws Exception {
        return trial(trial, new MapStore(), null, checkpoints).cases();
    }

    @Test
    void casesAreShuffledAndRecordedInTheSectionsOrder() throws Exception {
        List<Trial> checkpoints = new ArrayList<>();
        List<Trial.Case> first = measured(1, checkpoints);
        assertEquals(
                IntStream.rangeClosed(1, 2 * CASES)
                        .map(i -> (i + 1) / 2)
                        .boxed()
                        .toList(),
                checkpoints.stream().map(record -> record.cases().size()).toList());
        assertEquals(
                IntStream.rangeClosed(1, CASES).boxed().toList(),
                first.stream().map(Trial.Case::valueBytes).toList());
        List<Integer> turns = first.stream().map(Trial.Case::turn).toList();
        assertEquals(
                IntStream.range(0, CASES).boxed().toList(),
                turns.stream().sorted().toList());
        assertEquals(
                List.of(0),
                first.stream()
                        .filter(each -> each.firstLoadsNs() != null)
                        .map(Trial.Case::turn)
                        .toList());
        assertNotEquals(
                turns,
                measured(2, new ArrayList<>()).stream().map(Trial.Case::turn).toList());
    }

    @Test
    void firstLoadsAreMadeBeforeTheFirstLoadAndBeforeOnesOfManyMoreEntries() throws Exception {
        Section section = Section.of("99-sizes");
        section.cases(List.of("readSeq"), new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 5_000, 8));
        for (int entries : new int[] {10, 15, 100, 1_000}) {
            section.cases(
                    List.of("write"), new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, entries, 8));
        }
        for (int trial = 1; trial <= 4; trial++) {
            var context = new TrialRun.Context(
                    trial, 0, Trial.Mode.ISOLATED, Profile.SMOKE, 1, folder, line -> {});
            List<Trial.Case> cases = new ArrayList<>(
                    TrialRun.measure(section, new MapStore(), context, null, record -> {})
                            .cases());
            cases.sort(Comparator.comparing(Trial.Case::turn));
            int most = 0;
            for (Trial.Case each : cases) {
                boolean writes = each.results().get(0).workload().equals("write");
                boolean unseen = writes && most < each.entries() / 2;
                assertEquals(unseen, each.firstLoadsNs() != null, cases.toString());
                most = unseen ? each.entries() : most;
            }
        }
    }

    @Test
    void afterAnErrorAnotherJvmGoesOnWithTheCasesThatAreLeft() throws Exception {
        MapStore throwing = new MapStore() {
            private final Set<Integer> sizes = new HashSet<>();

            @Override
            protected byte[] stored(Entry entry) {
                byte[] value = super.stored(entry);
                sizes.add(value.length);
                return value;
            }

            @Override
            protected void afterLoad() {
                if (sizes.size() > 1) { // in its second case
                    throw new LinkageError("gone");
                }
            }
        };
        List<Trial> checkpoints = new ArrayList<>();
        assertThrows(SpentJvm.class, () -> trial(1, throwing, null, checkpoints));
        Trial before = checkpoints.get(checkpoints.size() - 1);
        Trial whole = trial(1, new MapStore(), before, new ArrayList<>());
        assertEquals(
                measured(1, new ArrayList<>()).stream().map(Trial.Case::turn).toList(),
                whole.cases().stream().map(Trial.Case::turn).toList());
        List<String> reasons = whole.cases().stream()
                .map(each -> each.results().get(0).reason())
                .filter(Objects::nonNull)
                .toList();
        assertEquals(List.of("LinkageError: gone"), reasons);
        assertEquals(
                2,
                whole.cases().stream()
                        .filter(each -> each.firstLoadsNs() != null)
                        .count(),
                "of each JVM one case is the first");
        assertEquals(before.started(), whole.started());
        assertEquals(CASES, whole.output().size());
    }
}
