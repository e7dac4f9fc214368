package kv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import kv.store.UserError;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Methods are printed as they are written, each with its file and its class. */
class SourcesTest {

    @TempDir
    Path folder;

    private Path script;
    private Path family;

    @BeforeEach
    void write() throws IOException {
        Files.createDirectories(folder.resolve("stores"));
        Files.createDirectories(folder.resolve("families"));
        script = folder.resolve("stores").resolve("One.java");
        family = folder.resolve("families").resolve("Family.java");
        Files.writeString(script, """
            //SOURCES ../kv/*/*.java ../families/Family.java

            class One extends Family {
                Object open() {
                    return new Object() {
                        void put(int n) {} // of an anonymous class
                    };
                }

                static class Reads {
                    /* before */ int get(String text) {
                        // as it is written: "}"
                        return text.indexOf('{');
                    }
                }
            }
            """);
        Files.writeString(family, """
            //SOURCES ../stores/One.java

            abstract class Family {
                abstract void get();

                void put(long n) {}
            }
            """);
    }

    @Test
    void aClassIsShownWithWhatItExtendsOfItsFolder() throws IOException {
        Files.writeString(folder.resolve("Scan.java"), """
            package p;

            import q.Other;

            /** Scans. */
            class Scan extends Read {}
            """);
        Files.writeString(folder.resolve("Read.java"), """
            package p;

            /** Reads. */
            abstract class Read extends Elsewhere {}
            """);
        assertEquals("""
            `Scan.java`:

            ```java
            /** Scans. */
            class Scan extends Read {}
            ```

            `Read.java`:

            ```java
            /** Reads. */
            abstract class Read extends Elsewhere {}
            ```

            """, Sources.withParents(folder, "Scan"));
    }

    @Test
    void aMethodIsPrintedAsItIsWritten() throws IOException {
        assertEquals("""
            `One.java`, class `Reads`:

            ```java
            /* before */ int get(String text) {
                // as it is written: "}"
                return text.indexOf('{');
            }
            ```

            """, Sources.markdown(List.of(script, family), Set.of("get")));
    }

    @Test
    void theFamilyOfAStoreBelongsToItsScript() throws IOException {
        assertEquals(Set.of(script, family), Sources.withSources(script));
        String put = Sources.markdown(Sources.withSources(script), Set.of("put"));
        assertEquals(
                List.of("`One.java`, class `One`:", "`Family.java`, class `Family`:"),
                put.lines()
                        .filter(line -> line.startsWith("`") && line.endsWith(":"))
                        .toList());
    }

    @Test
    void aMethodIsFoundByItsClassToo() throws IOException {
        String put = Sources.markdown(List.of(script, family), Set.of("Family.put", "Reads.put"));
        assertEquals(
                List.of("`Family.java`, class `Family`:", "", "```java"),
                put.lines().toList().subList(0, 3));
        assertFalse(put.contains("One.java"), put);
    }

    @Test
    void whatIsNotThereIsASentence() {
        assertThrows(UserError.class, () -> Sources.markdown(List.of(script), Set.of("scan")));
    }

    @Test
    void aFunctionOfCIsPrintedToItsBrace() throws IOException {
        Path file = folder.resolve("rocks.c");
        Files.writeString(file, """
            static void get_pinned(int w);

            static void get_pinned(int w) {
                if (w) {
                    put(w);
                }
            }

            static void put(int w) {
            }
            """);
        assertEquals("""
            `rocks.c`:

            ```c
            static void get_pinned(int w) {
                if (w) {
                    put(w);
                }
            }
            ```

            """, Sources.function(file, "get_pinned"));
        assertThrows(UserError.class, () -> Sources.function(file, "pinned"));
    }
}
