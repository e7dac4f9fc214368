package kv.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An option sets what it prints, unless a case wants the store as it is shipped. */
class OptionTest {

    private static final CaseSpec PLAIN = new CaseSpec(KeyKind.INT, Order.RANDOM, 10, 100);
    private static final CaseSpec SHIPPED = PLAIN.with(Setting.DEFAULTS, "on");

    /** A library's own. */
    private static final class Library {
        int buffer = 4;
        boolean log = true;
    }

    private static final Option<Integer> BUFFER = Option.of(
                    "buffer", Value.in("ten times the entries", s -> 10 * s.entries()), "why", "")
            .sets(Library.class, (to, n) -> to.buffer = n)
            .reads(Library.class, told -> told.buffer)
            .shipped(4);
    private static final Option<Boolean> LOG = Option.of("log", Value.of(false), "why", "")
            .sets(Library.class, (to, on) -> to.log = on)
            .reads(Library.class, told -> told.log)
            .term();
    private static final StoreDescriptor STORE = StoreDescriptor.of(
                    Store.class, "x", StoreDescriptor.LSM_TREE, "#000000", "", "how")
            .usage("WriteBatch", 7, "why", "")
            .option(BUFFER)
            .option(LOG);

    @Test
    void asShippedSetsTheTermsOfTheCaseAlone() {
        Library set = STORE.set(new Library(), PLAIN);
        Library shipped = STORE.set(new Library(), SHIPPED);
        assertEquals(List.of(100, false), List.of(set.buffer, set.log));
        assertEquals(List.of(4, false), List.of(shipped.buffer, shipped.log));
        assertEquals(List.of(), STORE.differences(List.of(set), PLAIN));
        assertEquals(List.of(), STORE.differences(List.of(shipped), SHIPPED));
    }

    @Test
    void whatIsNotAsPrintedIsNamed() {
        Library set = STORE.set(new Library(), PLAIN);
        String found = STORE.differences(List.of(set), SHIPPED).get(0);
        assertTrue(found.startsWith("buffer is 100 and not 4"), found);
        set.log = true;
        found = STORE.differences(List.of(set), PLAIN).get(0);
        assertTrue(found.startsWith("log is true and not false"), found);
        assertEquals(2, STORE.differences(List.of("another object"), PLAIN).size());
    }

    @Test
    void aValueThatIsNoneLeavesItAsShipped() {
        Library library = new Library();
        StoreDescriptor.of(Store.class, "x", StoreDescriptor.LSM_TREE, "#000000", "", "how")
                .option(Option.of("buffer", Value.<Integer>in("default", s -> null), "why", "")
                        .sets(Library.class, (to, n) -> to.buffer = n))
                .set(library, PLAIN);
        assertEquals(4, library.buffer);
    }

    @Test
    void aRecordHasWhatIsPrinted() {
        assertEquals(
                "{\"name\":\"buffer\",\"value\":\"ten times the entries\",\"why\":\"why\","
                        + "\"link\":\"\"}",
                new Gson().toJson(BUFFER));
    }
}
