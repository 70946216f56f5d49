package org.broadinstitute.hellbender.utils.read;

import htsjdk.samtools.SAMRecord;

/** Part of GATK's class. */
public abstract class SAMRecordToGATKReadAdapter implements GATKRead {
    public native SAMRecord getEncapsulatedSamRecord();
}
