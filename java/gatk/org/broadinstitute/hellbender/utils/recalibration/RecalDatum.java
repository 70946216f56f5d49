package org.broadinstitute.hellbender.utils.recalibration;

import java.io.Serializable;

/** Part of GATK's class. */
public final class RecalDatum implements Serializable {
    private static final long serialVersionUID = 1;

    public RecalDatum(long observations, double mismatches, byte reportedQuality) {}

    public native void increment(long observations, double mismatches);
}
