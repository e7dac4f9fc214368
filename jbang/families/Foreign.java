package families;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A library's C functions as method handles, through the foreign-function API of JDK 22 and later.
 * The API is reached by reflection, so that this compiles on 17; it is called only to look
 * functions up, never when one runs.
 */
public final class Foreign {

    private static final String API = "java.lang.foreign.";
    private final Object linker;
    private final Object symbols;

    /** Loads a library, and keeps it until the JVM ends. */
    public Foreign(Path library) throws ReflectiveOperationException {
        Class<?> arena = Class.forName(API + "Arena");
        linker = Class.forName(API + "Linker").getMethod("nativeLinker").invoke(null);
        symbols = Class.forName(API + "SymbolLookup")
                .getMethod("libraryLookup", Path.class, arena)
                .invoke(null, library, arena.getMethod("global").invoke(null));
    }

    /**
     * A function, which takes and returns long (pointers too), int and byte.
     *
     * @param critical whether to leave out the change of the thread's state: only for functions
     *     that return at once
     * @param returns void.class for nothing
     */
    public MethodHandle function(String name, boolean critical, Class<?> returns, Class<?>... takes)
            throws ReflectiveOperationException {
        Class<?> layout = Class.forName(API + "MemoryLayout");
        Class<?> descriptor = Class.forName(API + "FunctionDescriptor");
        Class<?> option = Class.forName(API + "Linker$Option");
        Class<?> segment = Class.forName(API + "MemorySegment");
        Object arguments = Array.newInstance(layout, takes.length);
        for (int i = 0; i < takes.length; i++) {
            Array.set(arguments, i, layout(takes[i]));
        }
        Class<?> layouts = arguments.getClass();
        Object spec = returns == void.class
                ? descriptor.getMethod("ofVoid", layouts).invoke(null, arguments)
                : descriptor
                        .getMethod("of", layout, layouts)
                        .invoke(null, layout(returns), arguments);
        Object options = Array.newInstance(option, critical ? 1 : 0);
        if (critical) {
            Array.set(options, 0, option.getMethod("critical", boolean.class).invoke(null, false));
        }
        Optional<?> address = (Optional<?>) Class.forName(API + "SymbolLookup")
                .getMethod("find", String.class)
                .invoke(symbols, name);
        return (MethodHandle) Class.forName(API + "Linker")
                .getMethod("downcallHandle", segment, descriptor, options.getClass())
                .invoke(
                        linker,
                        address.orElseThrow(
                                () -> new IllegalStateException("the library has no " + name)),
                        spec,
                        options);
    }

    private static Object layout(Class<?> type) throws ReflectiveOperationException {
        return Class.forName(API + "ValueLayout")
                .getField("JAVA_" + type.getName().toUpperCase())
                .get(null);
    }
}
