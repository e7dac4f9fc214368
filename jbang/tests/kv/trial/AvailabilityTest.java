package kv.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import jnr.ffi.LibraryLoader;
import kv.MapStore;
import kv.store.CaseSpec;
import kv.store.Entry;
import kv.store.KeyKind;
import kv.store.Order;
import kv.store.Setting;
import kv.store.Unavailable;
import kv.store.UserError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What this machine lacks is told from what a store does wrong, however either is thrown. */
class AvailabilityTest {

    private static final String NOTHING = "no-such-library";
    private static final int AARCH64 = 183;
    private static final int X86_64 = 62;

    @TempDir
    Path folder;

    /** Loads its library as most classes with native methods do. */
    private static final class Loading {
        static {
            System.loadLibrary(NOTHING);
        }

        static void call() {}
    }

    /** Loads its library as some do, and throws something of its own. */
    private static final class Wrapping {
        static {
            try {
                System.loadLibrary(NOTHING);
            } catch (UnsatisfiedLinkError e) {
                throw new IllegalStateException("Failed to set up", e);
            }
        }

        static void call() {}
    }

    /** Has a native method whose library nobody has loaded. */
    private static final class Unlinked {
        static native void call();
    }

    /** A part of libc. */
    public interface Api {
        int getpid();
    }

    /** As sqlite-jdbc has it. */
    private static final class NativeLibraryNotFoundException extends Exception {
        NativeLibraryNotFoundException() {
            super("No native library found for os.name=Linux, os.arch=sparc");
        }
    }

    private static Throwable thrown(Executable code) {
        return assertThrows(Throwable.class, code);
    }

    private static String missing(Executable code) {
        return Availability.missing(thrown(code));
    }

    @Test
    void nativeCodeThatDoesNotLoadIsMissingThoughItIsTriedAgain() {
        String loaded = "its native code does not load here: no " + NOTHING + " in java.library";
        for (Executable call : List.<Executable>of(
                () -> System.loadLibrary(NOTHING),
                Loading::call,
                Loading::call,
                Wrapping::call,
                Wrapping::call)) {
            String missing = missing(call);
            assertTrue(missing.startsWith(loaded), missing);
        }
        assertEquals(NoClassDefFoundError.class, thrown(Wrapping::call).getClass());
        assertTrue(missing(Unlinked::call).contains("does not load here: 'void kv.trial"));
        String jnr =
                missing(() -> LibraryLoader.create(Api.class).failImmediately().load(NOTHING));
        assertTrue(jnr.contains(NOTHING), jnr);
        assertTrue(missing(() -> {
                    throw new ExecutionException(new IOException(thrown(Loading::call)));
                })
                .startsWith(loaded));
    }

    @Test
    void ofAnotherProcessorItDoesNotLoad() throws Exception {
        boolean intel = System.getProperty("os.arch").equals("amd64");
        ByteBuffer elf = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        elf.putInt(0x464c457f).put((byte) 2).put((byte) 1).put((byte) 1);
        elf.putShort(16, (short) 3).putShort(18, (short) (intel ? AARCH64 : X86_64));
        elf.putInt(20, 1).putShort(52, (short) 64);
        Path library = Files.write(folder.resolve("libother.so"), elf.array());
        String missing = missing(() -> System.load(library.toString()));
        assertTrue(missing.startsWith("its native code does not load here: libother"), missing);
        assertFalse(missing.contains("/"), missing);
    }

    @Test
    void wordsOfOtherLoadersCountToo() {
        for (Throwable each : List.of(
                new IllegalArgumentException("Cannot open library: libx.so"), // Java's own, FFM
                new RuntimeException("Unable to load the RocksDB shared library"),
                new NativeLibraryNotFoundException(),
                new ExceptionInInitializerError(new UnsatisfiedLinkError("no x")))) {
            String missing = Availability.missing(each);
            assertTrue(missing.startsWith("its native code does not load here: "), missing);
        }
        String own = "Kyoto Cabinet cannot be loaded: install the package libkyotocabinet16v5";
        assertEquals(own, Availability.missing(new UserError(own)));
        assertEquals("needs a disk", Availability.missing(new Unavailable("needs a disk")));
    }

    @Test
    void aNewerJavaIsNamed() throws Exception {
        int feature = Runtime.version().feature();
        byte[] newer;
        try (InputStream in = getClass().getResourceAsStream("AvailabilityTest.class")) {
            newer = in.readAllBytes();
        }
        newer[7] = (byte) (44 + feature + 1);
        String needs = "needs JDK " + (feature + 1) + " or newer, and this is " + feature;
        assertEquals(
                needs,
                missing(() -> new ClassLoader() {
                    void define() {
                        defineClass(null, newer, 0, newer.length);
                    }
                }.define()));
        assertEquals(
                "needs JDK 22 or newer, and this is " + feature,
                Availability.missing(new NoClassDefFoundError("java/lang/foreign/Linker")));
    }

    @Test
    void whatAStoreDoesWrongIsNoLack() {
        Stream.of(
                        new LinkageError("no such method"),
                        new NoSuchMethodError("put"),
                        new NoClassDefFoundError("org/example/Absent"),
                        new ExceptionInInitializerError(new IllegalStateException("twice")),
                        new IllegalStateException("kcdbopen: no repository"),
                        new FileNotFoundException("cannot open db: no such file"),
                        new UserError("5 entries do not fit the memory"),
                        new OutOfMemoryError("unable to create native thread"),
                        new BrokenPromise("a get found what was never written"),
                        new NoClassDefFoundError("Could not initialize class kv.trial.Probe"),
                        new NullPointerException())
                .forEach(each -> assertNull(Availability.missing(each), each::toString));
    }

    /** A store whose native code is called first when an entry is put, and in closing. */
    private static class Native extends MapStore {

        @Override
        protected byte[] stored(Entry entry) {
            Unlinked.call();
            return super.stored(entry);
        }

        @Override
        public Db open(Path directory, CaseSpec spec) throws Exception {
            Db db = super.open(directory, spec);
            return new Db() {
                @Override
                public Writer writer() throws Exception {
                    return db.writer();
                }

                @Override
                public Reader reader() throws Exception {
                    return db.reader();
                }

                @Override
                public void close() {
                    Loading.call();
                }
            };
        }

        @Override
        public String engine() {
            throw new UnsatisfiedLinkError("x".repeat(1_000));
        }
    }

    @Test
    void itsTrialIsWholeInOneJvmAndSaysWhatIsMissing() throws Exception {
        Section section = Section.of("99-missing");
        for (Order order : Order.values()) {
            section.cases(List.of("write", "readKey"), new CaseSpec(KeyKind.INT, order, 10, 5));
        }
        List<Trial> saved = new ArrayList<>();
        var context = new TrialRun.Context(
                1, 0, Trial.Mode.ISOLATED, Profile.SMOKE, 1, folder, line -> {});
        Trial trial = TrialRun.measure(section, new Native(), context, null, saved::add);
        trial.save(folder.resolve("record.json"));
        assertEquals("unknown", trial.store().engine());
        assertEquals(Trial.Status.OK, trial.status());
        List<Trial.Result> results =
                trial.cases().stream().flatMap(each -> each.results().stream()).toList();
        assertEquals(2 * Order.values().length, results.size());
        results.forEach(each -> {
            assertEquals(Trial.Status.NA, each.status());
            assertTrue(each.reason().startsWith("its native code does not load"), each::reason);
        });
    }

    @Test
    void oneCaseAloneMayLackIt() throws Exception {
        MapStore store = new MapStore() {
            @Override
            public Db open(Path directory, CaseSpec spec) throws Exception {
                if (spec.settings().containsKey(Setting.SYNC)) {
                    Loading.call();
                }
                return super.open(directory, spec);
            }
        };
        assertNull(Availability.missingFor(store), "by itself it lacks nothing");
        Section section = Section.of("99-missing");
        CaseSpec spec = new CaseSpec(KeyKind.INT, Order.DENSE, 10, 5);
        section.cases(List.of("write"), spec, spec.with(Setting.SYNC, "on"));
        var context = new TrialRun.Context(
                1, 0, Trial.Mode.ISOLATED, Profile.SMOKE, 1, folder, line -> {});
        Trial trial = TrialRun.measure(section, store, context, null, record -> {});
        assertEquals(
                List.of(Trial.Status.OK, Trial.Status.NA),
                trial.cases().stream()
                        .map(each -> each.results().get(0).status())
                        .toList());
    }

    @Test
    void aStoreIsTriedWithAFewEntries() {
        assertTrue(Availability.missingFor(new Native()).contains("does not load"));
        MapStore failing = new MapStore() {
            @Override
            protected void afterLoad() {
                throw new IllegalStateException("fails");
            }
        };
        assertNull(Availability.missingFor(failing), "it fails, and lacks nothing");
    }
}
