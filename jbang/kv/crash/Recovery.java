package kv.crash;

import java.nio.file.Path;
import kv.store.CaseSpec;

/** The call that a store's documentation has for a database that does not open after a crash. */
public interface Recovery {

    /**
     * Has the vendor's own call mend a database where it lies.
     *
     * @param directory holds the database, which nothing has open
     * @param spec with which it was made
     * @throws Exception what the call throws, where there is nothing that it could do
     */
    void recover(Path directory, CaseSpec spec) throws Exception;
}
