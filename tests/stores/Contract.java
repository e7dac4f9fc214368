///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*.java

package stores;

import java.nio.file.Path;
import java.util.List;
import kv.KeyKind;
import kv.Notebook;
import kv.Order;
import kv.Profile;
import kv.Section;
import kv.Shape;
import kv.Trial;
import kv.Workload;

/** Takes one store of the class path through every case and workload, in one JVM, and prints the trial record. */
public final class Contract {

    private static final int VALUE_BYTES = 100;

    private Contract() {
    }

    /** Arguments: the store's id, and the directory to work in. */
    public static void main(String... arguments) throws Exception {
        Profile smoke = Profile.SMOKE;
        Section everything = new Section("contract", List.of(Workload.values()),
                Shape.each(List.of(KeyKind.values()), List.of(Order.values()), smoke.entries, VALUE_BYTES));
        var context = new Section.Context(1, 0, Trial.Mode.ISOLATED, smoke, Notebook.SEED, Path.of(arguments[1]), System.err::println);
        System.out.println(everything.measure(Notebook.store(arguments[0]), context, partial -> { }).json());
    }
}
