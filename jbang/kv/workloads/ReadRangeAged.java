package kv.workloads;

/** {@link ReadRange} after every entry was overwritten. */
public class ReadRangeAged extends ReadRange {

    public ReadRangeAged() {
        super(First.AGEING);
    }
}
