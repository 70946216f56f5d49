package org.broadinstitute.hellbender.utils.read;

import htsjdk.samtools.SAMFileHeader;
import java.util.Set;

/** Part of GATK's class. */
public final class ReadUtils {
    public static int CANNOT_COMPUTE_ADAPTOR_BOUNDARY;

    public static native Set<String> getSamplesFromHeader(SAMFileHeader header);

    public static native String getSampleName(GATKRead read, SAMFileHeader header);
}
