package org.broadinstitute.hellbender.utils.read;

import htsjdk.samtools.Cigar;

/** Part of GATK's class. */
public final class AlignmentUtils {
    public static native Cigar removeTrailingDeletions(Cigar cigar);
}
