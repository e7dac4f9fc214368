package kv;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.stream.Collectors;
import kv.store.Entry;
import kv.store.Sink;
import kv.workloads.VerifyingSink;
import org.junit.jupiter.api.Test;

/** Arrows between the packages go down only, without exceptions. */
class ArchitectureTest {

    private static final JavaClasses KV = new ClassFileImporter()
            .withImportOption(location ->
                    !location.matches(java.util.regex.Pattern.compile(".*Test(\\$.*)?\\.class")))
            .importPackages(
                    "kv.store",
                    "kv.data",
                    "kv.bench",
                    "kv.workloads",
                    "kv.trial",
                    "kv.crash",
                    "kv.cli");

    @Test
    void allPackagesAreLookedAt() {
        Set<String> packages =
                KV.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
        assertEquals(
                Set.of(
                        "kv.store",
                        "kv.data",
                        "kv.bench",
                        "kv.workloads",
                        "kv.trial",
                        "kv.crash",
                        "kv.cli"),
                packages);
        assertTrue(KV.size() > 40, "classes: " + KV.size());
    }

    @Test
    void arrowsGoDown() {
        layeredArchitecture()
                .consideringAllDependencies()
                .layer("cli")
                .definedBy("kv.cli")
                .layer("trial")
                .definedBy("kv.trial")
                .layer("crash")
                .definedBy("kv.crash")
                .layer("workloads")
                .definedBy("kv.workloads")
                .layer("bench")
                .definedBy("kv.bench")
                .layer("data")
                .definedBy("kv.data")
                .layer("store")
                .definedBy("kv.store")
                .whereLayer("cli")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("trial")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("crash")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("workloads")
                .mayOnlyBeAccessedByLayers("cli", "trial")
                .whereLayer("bench")
                .mayOnlyBeAccessedByLayers("cli", "trial", "workloads")
                .whereLayer("data")
                .mayOnlyBeAccessedByLayers("cli", "trial", "crash", "workloads", "bench")
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("cli", "trial", "crash", "workloads", "bench", "data")
                .check(KV);
    }

    @Test
    void theTimedPathKnowsNothingUntimed() {
        noClasses()
                .that()
                .resideInAnyPackage("kv.store", "kv.data", "kv.bench", "kv.workloads")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "kv.trial",
                        "kv.crash",
                        "kv.cli",
                        "stores",
                        "families",
                        "picocli..",
                        "jnr..")
                .check(KV);
    }

    /**
     * In a process that times: none of those loads what {@code kv.crash} has. Sinks are one for
     * each digest: AnewTest shows that a workload knows its own only.
     */
    @Test
    void hotCallsHaveOneTarget() {
        Set<JavaClass> entries = KV.get(Entry.class).getAllSubclasses().stream()
                .filter(each -> !each.getPackageName().equals("kv.crash"))
                .collect(Collectors.toSet());
        assertEquals(1, entries.size(), () -> "entries: " + entries);
        assertTrue(isFinal(entries.iterator().next()));
        for (JavaClass sink : KV.get(Sink.class).getAllSubclasses()) {
            assertTrue(
                    isFinal(sink)
                            || sink.isEquivalentTo(VerifyingSink.class)
                            || sink.getPackageName().equals("kv.crash"),
                    sink::getName);
        }
    }

    private static boolean isFinal(JavaClass type) {
        return type.getModifiers().contains(com.tngtech.archunit.core.domain.JavaModifier.FINAL);
    }
}
