package org.broadinstitute.hellbender.utils;

import htsjdk.samtools.SAMSequenceDictionary;
import htsjdk.samtools.util.Locatable;

/** Part of GATK's class. */
public final class IntervalUtils {
    public static native boolean isAfter(Locatable first, Locatable second,
            SAMSequenceDictionary dictionary);
}
