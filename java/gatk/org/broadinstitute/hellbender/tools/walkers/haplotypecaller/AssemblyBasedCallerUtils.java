package org.broadinstitute.hellbender.tools.walkers.haplotypecaller;

import htsjdk.samtools.SAMFileHeader;
import java.util.List;
import java.util.OptionalInt;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.tools.FlowBasedArgumentCollection;
import org.broadinstitute.hellbender.utils.genotyper.SampleList;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class, with a method that the agent adds. */
public final class AssemblyBasedCallerUtils {
    public static native void cleanOverlappingReadPairs(List<GATKRead> reads, SampleList samples,
            SAMFileHeader header, boolean setConflictingToZero, OptionalInt halfOfPcrSnvQuality,
            OptionalInt halfOfPcrIndelQuality);

    public static native void finalizeRegion$original(AssemblyRegion region,
            boolean errorCorrectReads, boolean dontUseSoftClippedBases, byte minTailQuality,
            SAMFileHeader header, SampleList samples, boolean correctOverlappingBaseQualities,
            boolean softClipLowQualityEnds, boolean overrideSoftclipFragmentCheck,
            boolean trackHardclippedReads);

    /** Before GATK 4.5. */
    public static native void finalizeRegion$original(AssemblyRegion region,
            boolean errorCorrectReads, boolean dontUseSoftClippedBases, byte minTailQuality,
            SAMFileHeader header, SampleList samples, boolean correctOverlappingBaseQualities,
            boolean softClipLowQualityEnds, boolean overrideSoftclipFragmentCheck,
            FlowBasedArgumentCollection flow, boolean trackHardclippedReads);
}
