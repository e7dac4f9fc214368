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
import kv.Setting;
import kv.Shape;
import kv.Trial;
import kv.Workload;

/**
 * Takes one store of the class path through every case and workload, and a case with every setting, in one JVM, and prints
 * the trial record.
 */
public final class Contract {

    private static final int VALUE_BYTES = 100;

    private Contract() {
    }

    /** For each setting, whether the store has it or not, a case with what is not the store's own choice. */
    private static List<Shape> changed(Shape base) {
        return List.of(base.with(Setting.SYNC, "on"), base.with(Setting.SYNC, "on").with(Setting.META_SYNC, "off"),
                base.with(Setting.WRITE_MAP, "off"), base.with(Setting.BATCH, 7), base.with(Setting.BATCH, "100%"));
    }

    /** Arguments: the store's id, and the directory to work in. */
    public static void main(String... arguments) throws Exception {
        Profile smoke = Profile.SMOKE;
        Section everything = new Section("contract", List.of(Workload.values()),
                Shape.each(List.of(KeyKind.values()), List.of(Order.values()), smoke.entries, VALUE_BYTES))
                .and(List.of(Workload.WRITE, Workload.READ_SEQ), changed(new Shape(KeyKind.INT, Order.RANDOM, smoke.entries, VALUE_BYTES)));
        var context = new Section.Context(1, 0, Trial.Mode.ISOLATED, smoke, Notebook.SEED, Path.of(arguments[1]), System.err::println);
        System.out.println(everything.measure(Notebook.store(arguments[0]), context, partial -> { }).json());
    }
}
