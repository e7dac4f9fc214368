package kv.workloads;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kv.bench.Workload;
import kv.store.Store;
import kv.store.StoreDescriptor;
import kv.store.UserError;

/** All workloads that there are. */
public final class Workloads {

    /** In an order in which all can be measured of a store. */
    public static final List<Workload> ALL = List.of(
            new BulkLoad(),
            new Write(),
            new ReadKey(),
            new ReadSeq(),
            new ReadRev(),
            new ReadCrc(),
            new ReadXxh64(),
            new ReadKeyXxh64(),
            new ReadKeyWritten(),
            new PutService(),
            new PutResponse(),
            new GetService(),
            new GetResponse(),
            new ReadLukewarm(),
            new ReadCold(),
            new Overwrite(),
            new ReadKeyAged(),
            new ReadSeqAged(),
            new ReadRange(),
            new ReadRangeBack(),
            new ReadRangeAged(),
            new ReadRangeCompacted(),
            new ReadFloor(),
            new ReadMiss(),
            new MultiGet(),
            new Churn(),
            new Compact(),
            new DeleteHalf(),
            new YcsbA(),
            new YcsbB(),
            new YcsbC(),
            new YcsbF(),
            new OwnMix(),
            new YcsbD(),
            new YcsbE(),
            new Expire(),
            new Commit1(),
            new Commit10(),
            new Commit100(),
            new OpenClosed(),
            new OpenKilled(),
            new GetBesideWriter(),
            new PutSettled(),
            new OfProgram("generate"),
            new OfProgram("fill"),
            new OfProgram("serialise"),
            new OfProgram("save"),
            new OfProgram("total"));

    /** Their names, in this order. */
    public static final List<String> NAMES = ALL.stream().map(Workload::name).toList();

    private Workloads() {}

    /** Those that can be measured of a store, but for what it lacks. */
    public static List<Workload> of(Store store) {
        List<String> own = store.workloads();
        return ALL.stream()
                .filter(each ->
                        own.isEmpty() ? !(each instanceof OfProgram) : own.contains(each.name()))
                .toList();
    }

    /** Names of what a store cannot do, with the reason. */
    public static Map<String, String> unsupported(StoreDescriptor store) {
        Map<String, String> found = new LinkedHashMap<>();
        for (Workload each : ALL) {
            String reason = each.unsupportedReason(store);
            if (reason != null) {
                found.put(each.name(), reason);
            }
        }
        return found;
    }

    /**
     * The workload of that name.
     *
     * @throws UserError when there is none, naming those that exist
     */
    public static Workload named(String name) {
        int place = NAMES.indexOf(name);
        if (place < 0) {
            throw new UserError("There is no workload '" + name + "'; choose from " + NAMES);
        }
        return ALL.get(place);
    }
}
