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
import org.junit.jupiter.api.Test;

/** Arrows between the packages go down only, without exceptions. */
class ArchitectureTest {

    private static final JavaClasses KV = new ClassFileImporter()
            .withImportOption(location ->
                    !location.matches(java.util.regex.Pattern.compile(".*Test(\\$.*)?\\.class")))
            .importPackages("kv.store", "kv.data", "kv.bench", "kv.trial", "kv.crash", "kv.cli");

    @Test
    void allPackagesAreLookedAt() {
        Set<String> packages =
                KV.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
        assertEquals(
                Set.of("kv.store", "kv.data", "kv.bench", "kv.trial", "kv.crash", "kv.cli"),
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
                .whereLayer("bench")
                .mayOnlyBeAccessedByLayers("cli", "trial")
                .whereLayer("data")
                .mayOnlyBeAccessedByLayers("cli", "trial", "crash", "bench")
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("cli", "trial", "crash", "bench", "data")
                .check(KV);
    }

    @Test
    void theTimedPathKnowsNothingUntimed() {
        noClasses()
                .that()
                .resideInAnyPackage("kv.store", "kv.data", "kv.bench")
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

    /** In a process that times: none of those loads what {@code kv.crash} has. */
    @Test
    void hotCallsHaveOneTarget() {
        for (Class<?> contract : new Class<?>[] {Entry.class, Sink.class}) {
            Set<JavaClass> targets = KV.get(contract).getAllSubclasses().stream()
                    .filter(each -> !each.getPackageName().equals("kv.crash"))
                    .collect(Collectors.toSet());
            assertEquals(
                    1,
                    targets.size(),
                    () -> contract.getSimpleName() + " is implemented by " + targets);
            assertTrue(targets.iterator()
                    .next()
                    .getModifiers()
                    .contains(com.tngtech.archunit.core.domain.JavaModifier.FINAL));
        }
    }
}
