package org.gklshim.gatk.records;

import java.util.ArrayList;
import java.util.List;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** A batch of records, which one thread works on, and what becomes of them. */
public class RecordTask {
    final RecordBatch batch;
    /** The reads that the tool gets in order. */
    public final List<GATKRead> results = new ArrayList<>();
    /** How many records have passed the filters, and the number of the last one of them. */
    int passed;
    int last;
    /** Where that is; null if it has no place. */
    SimpleInterval place;
    /** What ended the work, after all results; null if nothing did. */
    Throwable failure;

    protected RecordTask(RecordBatch batch) {
        this.batch = batch;
    }
}
