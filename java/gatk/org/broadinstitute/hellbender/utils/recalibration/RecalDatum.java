package org.broadinstitute.hellbender.utils.recalibration;

import java.io.Serializable;

/** Part of GATK's class. */
@SuppressWarnings("serial")
public final class RecalDatum implements Serializable {
    public RecalDatum(long observations, double mismatches, byte reportedQuality) {}

    public native void increment(long observations, double mismatches);
}
