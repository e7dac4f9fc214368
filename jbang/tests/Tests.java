///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../kv/*/*.java ../families/PlainMap.java kv/*.java kv/*/*.java
//DEPS org.junit.jupiter:junit-jupiter:5.13.4 org.junit.platform:junit-platform-launcher:1.13.4
//DEPS com.tngtech.archunit:archunit:1.4.1

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs the tests of kv. Prints what failed and how many there were, and ends with 1 when one failed
 * or none was found.
 */
class Tests {
    public static void main(String... arguments) {
        var listener = new SummaryGeneratingListener();
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectPackage("kv"))
                .build();
        LauncherFactory.create().execute(request, listener);
        var summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true), 8);
        System.out.printf(
                "%d tests found, %d succeeded, %d failed, in %.1f s%n",
                summary.getTestsFoundCount(),
                summary.getTestsSucceededCount(),
                summary.getTotalFailureCount(),
                (summary.getTimeFinished() - summary.getTimeStarted()) / 1e3);
        System.exit(
                summary.getTestsSucceededCount() > 0 && summary.getTotalFailureCount() == 0
                        ? 0
                        : 1);
    }
}
