package org.broadinstitute.hellbender.utils.recalibration;

/** Part of GATK's class. */
public final class RecalibrationArgumentCollection {
    public int MISMATCHES_CONTEXT_SIZE;
    public int MAXIMUM_CYCLE_VALUE;
    public byte LOW_QUAL_TAIL;
    public int PRESERVE_QSCORES_LESS_THAN;
    public boolean enableBAQ;
    public boolean computeIndelBQSRTables;
    public Boolean useOriginalBaseQualities;
}
