package kv.trial;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import kv.bench.Workload;
import kv.store.Store;

/**
 * A workload and a store whose classes are defined anew, for one workload of one case: what the
 * compiler learnt of them from others it has not learnt of these. A vendor's library is not defined
 * anew, as native code is loaded once, nor are the entries.
 *
 * @param store the same one where its class is no script's, or not made without arguments
 */
record Anew(Workload workload, Store store) {

    // Packages: all that runs an entry at a time, but for what workloads hand each other
    private static final List<String> PACKAGES = List.of("kv.workloads.", "stores.", "families.");

    static Anew of(Workload workload, Store store) throws ReflectiveOperationException {
        Classes classes = new Classes();
        return new Anew(classes.again(workload), classes.again(store));
    }

    private static boolean isDefinedAnew(String type) {
        return PACKAGES.stream().anyMatch(type::startsWith);
    }

    /** Classes of those packages, and every other one as it is already. */
    private static final class Classes extends ClassLoader {

        Classes() {
            super(Anew.class.getClassLoader());
        }

        /** Another instance of an object's class; the object where that cannot be made so. */
        @SuppressWarnings("unchecked") // but for its loader it is the same
        <T> T again(T object) throws ReflectiveOperationException {
            Class<?> type = object.getClass();
            boolean makes = Arrays.stream(type.getConstructors())
                    .anyMatch(each -> each.getParameterCount() == 0);
            return makes && isDefinedAnew(type.getName())
                    ? (T) loadClass(type.getName()).getConstructor().newInstance()
                    : object;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!isDefinedAnew(name)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? define(name) : known;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String file = name.replace('.', '/') + ".class";
            try (InputStream in = getParent().getResourceAsStream(file)) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
