package org.gklshim.gatk.pileups;

import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.records.BamRecord;

/** The reads that have passed the filters, in order. */
interface SiteReads {
    /** Goes to the next read. Returns false if there is none. */
    boolean next();

    /** Returns the number of the read's sequence, or -1. */
    int sequence();

    int start();

    /**
     * Returns the read's record, or null if only {@link #read} can be asked. The record is aligned,
     * and the header has its read group and its sample.
     */
    BamRecord record();

    GATKRead read();
}
