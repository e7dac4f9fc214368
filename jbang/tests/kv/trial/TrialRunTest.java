package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import kv.MapStore;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A trial of several cases: each is measured, in an order that is another in another trial. */
class TrialRunTest {

    private static final int CASES = 6;

    @TempDir
    Path folder;

    private List<Trial.Case> measured(int trial, List<Integer> checkpoints) throws Exception {
        Section section = Section.of("99-cases");
        for (int bytes = 1; bytes <= CASES; bytes++) {
            section.cases(
                    List.of(Workload.WRITE),
                    new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 10, bytes));
        }
        var context = new TrialRun.Context(
                trial, 0, Trial.Mode.ISOLATED, Profile.SMOKE, 1, folder, line -> {});
        return TrialRun.measure(
                        section,
                        new MapStore(),
                        context,
                        record -> checkpoints.add(record.cases().size()))
                .cases();
    }

    @Test
    void casesAreShuffledAndRecordedInTheSectionsOrder() throws Exception {
        List<Integer> checkpoints = new ArrayList<>();
        List<Trial.Case> first = measured(1, checkpoints);
        assertEquals(IntStream.rangeClosed(0, CASES).boxed().toList(), checkpoints);
        assertEquals(
                IntStream.rangeClosed(1, CASES).boxed().toList(),
                first.stream().map(Trial.Case::valueBytes).toList());
        List<Integer> turns = first.stream().map(Trial.Case::turn).toList();
        assertEquals(
                IntStream.range(0, CASES).boxed().toList(),
                turns.stream().sorted().toList());
        assertNotEquals(
                turns,
                measured(2, new ArrayList<>()).stream().map(Trial.Case::turn).toList());
    }
}
