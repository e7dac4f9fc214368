package kv.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kv.MapStore;
import kv.data.Data;
import kv.store.CaseSpec;
import kv.store.KeyKind;
import kv.store.Order;
import kv.trial.Bench;
import kv.trial.Profile;
import org.junit.jupiter.api.Test;

/** A database that times itself is asked for it, and the harness adds nothing of its own. */
class ProgramTest {

    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.DENSE, 10, 20);

    private final List<String> asked = new ArrayList<>();
    private final Measurement measured = new Measurement(
            "write",
            List.of(),
            List.of(1L),
            10,
            240,
            Cost.ofProcess(1L, 2L, 3L, 4L, 5L),
            null,
            null);

    private final Program program = new Program() {
        @Override
        public void load(Data data) {
            asked.add("load");
        }

        @Override
        public Measurement run(String workload, Data data, Schedule schedule) {
            asked.add(workload);
            return measured;
        }

        @Override
        public void verify(Data data) {
            asked.add("verify");
        }

        @Override
        public void close() {
            asked.add("close");
        }
    };

    @Test
    void itRunsWhatItIsAskedFor() throws Exception {
        var store = new MapStore() {
            @Override
            public Db open(Path directory, CaseSpec spec) {
                return program;
            }
        };
        try (Bench bench = Bench.open(store, SPEC, Profile.SMOKE)) {
            assertSame(measured, bench.time("readKey"));
            assertSame(measured, bench.time("write"));
        }
        assertEquals(
                List.of("load", "close", "readKey", "close", "write", "close", "verify", "close"),
                asked);
        assertEquals(new Cost(1L, 2L, 3L, 4L, 5L, null, null, null, null, null), measured.cost());
        assertEquals(
                new Observed(2.5, "./program", null, null, null, List.of(3L), null, null, null),
                Observed.program(2.5, "./program", List.of(3L)));
        assertThrows(UnsupportedOperationException.class, program::reader);
        assertThrows(UnsupportedOperationException.class, program::writer);
    }
}
