package org.broadinstitute.hellbender.utils.read;

import htsjdk.samtools.Cigar;
import org.apache.commons.lang3.tuple.Pair;

/** Part of GATK's class. */
public final class AlignmentUtils {
    public static native Pair<byte[], byte[]> getBasesAndBaseQualitiesAlignedOneToOne(
            GATKRead read);

    public static native Cigar removeTrailingDeletions(Cigar cigar);
}
