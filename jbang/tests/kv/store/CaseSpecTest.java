package kv.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CaseSpecTest {

    private static final CaseSpec CASE = new CaseSpec(KeyKind.STRING, Order.RANDOM, 1_500, 100);

    @ParameterizedTest
    @CsvSource({
        "sync,maybe",
        "sync,ON",
        "metaSync,os",
        "writeMap,yes",
        "batch,0",
        "batch,-1",
        "batch,1.5",
        "batch,1000%",
        "compression,half",
        "memory,0",
        "memory,4x",
        "memory,8-",
        "memory,9-reads",
        "threads,",
        "load,random",
        "writes,many",
        "defaults,vendor"
    })
    void whatIsNoValueIsRefusedAtOnce(String name, String value) {
        Setting setting = Setting.named(name);
        String given = value == null ? "" : value;
        String message =
                assertThrows(UserError.class, () -> CASE.with(setting, given)).getMessage();
        assertEquals(name + " is ", message.substring(0, name.length() + 4));
        assertEquals(", not " + given, message.substring(message.length() - 6 - given.length()));
    }

    @Test
    void sizesAreChecked() {
        assertThrows(UserError.class, () -> CASE.withSize(0, 1));
        assertThrows(UserError.class, () -> CASE.withSize(1, 0));
    }

    @ParameterizedTest
    @CsvSource({"7,7", "100%,1500", "10%,150", "0.1%,2", "0.01%,1", "999999999,999999999"})
    void countsAreNumbersOrSharesRoundedUp(String value, int count) {
        assertEquals(count, CASE.with(Setting.BATCH, value).count(Setting.BATCH, 1));
    }

    @Test
    void whatIsNotSetIsAsTheStoreSays() {
        assertEquals(42, CASE.count(Setting.BATCH, 42));
        assertEquals(Sync.OFF, CASE.sync());
        assertNull(CASE.memory());
        assertEquals(1, CASE.threads());
        assertEquals("array", CASE.calls(java.util.List.of("array"), "array"));
    }

    @ParameterizedTest
    @CsvSource({"off,OFF", "os,OS", "on,ON"})
    void syncHasThreeTiers(String value, Sync sync) {
        assertEquals(sync, CASE.with(Setting.SYNC, value).sync());
    }

    @ParameterizedTest
    @CsvSource({"on,true,true", "off,false,false", "default,true,false", "other,false,true"})
    void compressionIsRelativeToTheVendorsDefault(
            String value, boolean ofOnByDefault, boolean ofOffByDefault) {
        assertEquals(ofOnByDefault, CASE.with(Setting.COMPRESSION, value).compressed(true));
        assertEquals(ofOffByDefault, CASE.with(Setting.COMPRESSION, value).compressed(false));
    }

    @ParameterizedTest
    @CsvSource({"4,2,2", "128-writes,8,120", "128-reads,120,8"})
    void memoryIsSharedBetweenCacheAndWriteBuffer(String value, long cacheMb, long bufferMb) {
        assertEquals(
                new Budget(cacheMb << 20, bufferMb << 20),
                CASE.with(Setting.MEMORY, value).memory());
    }

    @Test
    void aStoreMayAppendOnlyWhatOneThreadWritesInOrder() {
        CaseSpec ordered = new CaseSpec(KeyKind.INT, Order.SEQUENTIAL, 10, 10);
        assertEquals(true, ordered.sequential());
        assertEquals(false, ordered.with(Setting.THREADS, 2).sequential());
        assertEquals(false, CASE.sequential());
        assertEquals(true, CASE.with(Setting.LOAD, "sequential").sequential());
    }

    @Test
    void aStoreSaysWhatItCannotRun() {
        StoreDescriptor store = StoreDescriptor.of(
                        Store.class, "x", StoreDescriptor.CONTROL, "#000000", "", "")
                .setting(Setting.SYNC, "")
                .fixed(Setting.COMPRESSION, "off", "does not compress")
                .unsupported(Capability.SCAN, "no order");
        assertNull(store.unsupportedReason(
                CASE.with(Setting.SYNC, "on").with(Setting.COMPRESSION, "off")));
        assertEquals(
                "does not compress", store.unsupportedReason(CASE.with(Setting.COMPRESSION, "on")));
        assertEquals("has no setting batch", store.unsupportedReason(CASE.with(Setting.BATCH, 1)));
        assertEquals("no order", store.unsupportedReason(Capability.SCAN_BACKWARDS));
        StoreDescriptor bare =
                StoreDescriptor.of(Store.class, "x", StoreDescriptor.LSM_TREE, "#000000", "", "");
        assertNull(bare.unsupportedReason(CASE.with(Setting.COMPRESSION, "default")
                .with(Setting.LOAD, "sequential")
                .with(Setting.RANGE, 10)
                .with(Setting.ROUNDS, 3)));
        assertEquals(
                "has no setting compression",
                bare.unsupportedReason(CASE.with(Setting.COMPRESSION, "on")));
        assertEquals(true, store.findsByNumber());
        assertEquals(false, bare.findsByNumber());
        StoreDescriptor known = StoreDescriptor.of(
                Store.class, "x", StoreDescriptor.LSM_TREE, "#000000", "a:b", "");
        interface Known extends Store {}
        assertEquals(false, known.duplicate(Known.class, "x again", "#ffffff").findsByNumber());
    }

    @Test
    void aStoreUnderASecondNameIsTheSameButForItsNameAndItsFamily() {
        StoreDescriptor store = StoreDescriptor.of(
                        Store.class, "x", StoreDescriptor.LSM_TREE, "#000000", "a:b", "how")
                .setting(Setting.SYNC, "")
                .fixed(Setting.COMPRESSION, "off", "does not compress")
                .usage("cache", 1, "", "")
                .unsupported(Capability.SCAN, "no order");
        interface Again extends Store {}
        assertEquals(
                new StoreDescriptor(
                        "Again",
                        "x again",
                        StoreDescriptor.CONTROL,
                        "#ffffff",
                        "a:b",
                        "how",
                        store.unsupported(),
                        store.options(),
                        store.settings(),
                        store.fixed()),
                store.duplicate(Again.class, "x again", "#ffffff"));
        assertEquals(
                new StoreDescriptor(
                        "Store",
                        "x",
                        StoreDescriptor.ACCESS_PATH,
                        "#000000",
                        "a:b",
                        "how",
                        store.unsupported(),
                        store.options(),
                        store.settings(),
                        store.fixed()),
                store.accessPath());
    }

    @Test
    void aCaseIsPrintedWithWhatItChanges() {
        CaseSpec spec = new CaseSpec(KeyKind.INT, Order.RANDOM, 10, 20);
        assertEquals("int keys, random order, 20-byte values", spec.toString());
        assertEquals(
                "int keys, random order, 20-byte values, sync=on, threads=2",
                spec.with(Setting.THREADS, 2).with(Setting.SYNC, "on").toString());
    }

    @Test
    void aSettingIsOnWhereTheCaseOrElseTheStoreSaysSo() {
        assertEquals(true, CASE.on(Setting.WRITE_MAP, true));
        assertEquals(false, CASE.on(Setting.WRITE_MAP, false));
        assertEquals(false, CASE.with(Setting.WRITE_MAP, "off").on(Setting.WRITE_MAP, true));
        assertEquals(false, CASE.vendorDefaults());
        assertEquals(true, CASE.with(Setting.DEFAULTS, "on").vendorDefaults());
    }

    @Test
    void eachKindOfKeysIsCombinedWithEachOrder() {
        java.util.List<CaseSpec> all = CaseSpec.each(
                java.util.List.of(KeyKind.values()), java.util.List.of(Order.values()), 3, 4);
        assertEquals(6, new java.util.HashSet<>(all).size());
        all.forEach(each -> assertEquals(3 * (each.keys().bytes + 4), each.flatBytes()));
    }
}
