package org.broadinstitute.hellbender.utils.read;

import htsjdk.samtools.SAMFileHeader;

/** Part of GATK's class. */
public final class ReadUtils {
    public static native String getSampleName(GATKRead read, SAMFileHeader header);
}
