package org.broadinstitute.hellbender.tools.walkers.haplotypecaller;

import htsjdk.samtools.SAMFileHeader;
import java.util.List;
import java.util.OptionalInt;
import org.broadinstitute.hellbender.utils.genotyper.SampleList;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public final class AssemblyBasedCallerUtils {
    public static native void cleanOverlappingReadPairs(List<GATKRead> reads, SampleList samples,
            SAMFileHeader header, boolean setConflictingToZero, OptionalInt halfOfPcrSnvQuality,
            OptionalInt halfOfPcrIndelQuality);
}
