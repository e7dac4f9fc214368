///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//SOURCES ../../jbang/kv/*/*.java

package stores;

import java.nio.ByteOrder;
import kv.data.Data;
import kv.data.EntryFlyweight;
import kv.store.CaseSpec;
import kv.store.Content;
import kv.store.KeyKind;
import kv.store.Order;

/**
 * Prints the bytes of a case's values in the order of their keys, as a store that sorts lays them
 * out.
 */
public final class Values {

    private Values() {}

    /** Arguments: random or half, and the bytes of a value. */
    public static void main(String... arguments) {
        int entries = 400_000; // more than the generator has before it begins anew
        CaseSpec spec = new CaseSpec(
                        KeyKind.INT, Order.DENSE, entries, Integer.parseInt(arguments[1]))
                .withContent(Content.valueOf(arguments[0]));
        EntryFlyweight entry = new Data(spec, ByteOrder.BIG_ENDIAN).entry();
        int[] positionOf = new int[entries];
        for (int position = 0; position < entries; position++) {
            positionOf[entry.at(position).number()] = position;
        }
        for (int number = 0; number < entries; number += 400) {
            for (int next = number; next < number + 40; next++) {
                byte[] value = entry.at(positionOf[next]).value();
                System.out.write(value, 0, value.length);
            }
        }
        System.out.flush();
    }
}
