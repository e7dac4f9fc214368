package kv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.UserError;
import kv.trial.Section;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is measured by hand lands in a folder that is named by what is measured. */
class NotebookTest {

    private static final CaseSpec SPEC = new CaseSpec(KeyKind.INT, Order.RANDOM, 1_000, 100);

    private static Path folder(String profile, List<String> workloads, CaseSpec... specs) {
        Section section = Section.of("04-x").cases(workloads, specs);
        return Notebook.of(profile, "Map").folder(section);
    }

    private static Path folder(CaseSpec spec) {
        return folder("smoke", List.of("write"), spec);
    }

    @Test
    void whateverIsChangedInACellHasAFolderOfItsOwn() {
        List<CaseSpec> changed = List.of(
                SPEC,
                SPEC.withSize(1_001, 100),
                SPEC.withSize(1_000, 101),
                SPEC.withContent(Content.HALF),
                SPEC.with(Setting.SYNC, "on"),
                new CaseSpec(KeyKind.STRING, Order.RANDOM, 1_000, 100),
                new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 1_000, 100));
        Set<Path> folders = changed.stream().map(NotebookTest::folder).collect(Collectors.toSet());
        assertEquals(changed.size(), folders.size());
        Set<Path> more = Stream.of(
                        folder("quick", List.of("write"), SPEC),
                        folder("smoke", List.of("write", "readKey"), SPEC),
                        folder("smoke", List.of("write"), SPEC, SPEC))
                .collect(Collectors.toSet());
        assertEquals(3, more.size());
        more.forEach(each -> assertNotEquals(folder(SPEC), each));
    }

    @Test
    void whatIsTheSameHasTheSameFolder() {
        assertEquals(folder(SPEC), folder(new CaseSpec(KeyKind.INT, Order.RANDOM, 1_000, 100)));
        String name = folder(SPEC).getFileName().toString();
        assertTrue(name.matches("04-x-smoke-[0-9a-f]{8}"), name);
        assertTrue(folder(SPEC).getParent().endsWith(Path.of("data", "runs", "by-hand")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "..", "a/b", "/x", "", "04 x", "04-X", "-04", "04-x\n"})
    void noNameLeadsOutOfTheFolder(String id) {
        assertThrows(UserError.class, () -> Section.of(id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "NoSuchStore", ""})
    void anUnknownStoreIsASentence(String id) {
        String sentence =
                assertThrows(UserError.class, () -> Notebook.store(id)).getMessage();
        assertTrue(sentence.startsWith("There is no class stores." + id + " "), sentence);
    }

    @Test
    void anUnknownProfileIsASentence() {
        assertThrows(UserError.class, () -> Notebook.of("../x", "Map"));
    }
}
