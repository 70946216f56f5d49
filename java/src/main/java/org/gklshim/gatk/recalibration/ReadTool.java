package org.gklshim.gatk.recalibration;

import java.util.function.Consumer;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** What a tool that walks over reads does with them, in several threads. */
interface ReadTool {
    /** Returns why one thread has to do everything, for the log, or null. */
    String serialReason();

    /**
     * Returns what works on the reads of a thread.
     *
     * @param filters to be asked about each read; null if all reads have passed
     */
    Consumer<ReadTask> worker(ReadFilters filters);

    /** Gets the results of all tasks in the order of the input, in any of the threads. */
    void accept(GATKRead read);

    /** Called after the last read. */
    void finish();
}
