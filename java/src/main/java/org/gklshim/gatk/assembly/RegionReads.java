package org.gklshim.gatk.assembly;

import htsjdk.samtools.SAMFileHeader;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.tools.FlowBasedArgumentCollection;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyBasedCallerUtils;
import org.broadinstitute.hellbender.utils.genotyper.SampleList;

/**
 * A region's reads, clipped for the assembly. GATK always clips them a second time for pileup
 * detection, without their soft-clipped bases. Only haplotypes of alleles that were found in the
 * region's pileups are compared with these reads. A region has pileups in runs with pileup detection
 * alone.
 */
public final class RegionReads {
    private RegionReads() {}

    /** Takes the place of the method of {@link AssemblyBasedCallerUtils}. */
    public static void finalizeRegion(AssemblyRegion region, boolean errorCorrectReads,
            boolean dontUseSoftClippedBases, byte minTailQuality, SAMFileHeader header,
            SampleList samples, boolean correctOverlappingBaseQualities,
            boolean softClipLowQualityEnds, boolean overrideSoftclipFragmentCheck,
            boolean trackHardclippedReads) {
        AssemblyBasedCallerUtils.finalizeRegion$original(region, errorCorrectReads,
                dontUseSoftClippedBases, minTailQuality, header, samples,
                correctOverlappingBaseQualities, softClipLowQualityEnds,
                overrideSoftclipFragmentCheck, trackHardclippedReads && hasPileups(region));
    }

    /** The method before GATK 4.5. */
    public static void finalizeRegion(AssemblyRegion region, boolean errorCorrectReads,
            boolean dontUseSoftClippedBases, byte minTailQuality, SAMFileHeader header,
            SampleList samples, boolean correctOverlappingBaseQualities,
            boolean softClipLowQualityEnds, boolean overrideSoftclipFragmentCheck,
            FlowBasedArgumentCollection flow, boolean trackHardclippedReads) {
        AssemblyBasedCallerUtils.finalizeRegion$original(region, errorCorrectReads,
                dontUseSoftClippedBases, minTailQuality, header, samples,
                correctOverlappingBaseQualities, softClipLowQualityEnds,
                overrideSoftclipFragmentCheck, flow, trackHardclippedReads && hasPileups(region));
    }

    private static boolean hasPileups(AssemblyRegion region) {
        return !region.getAlignmentData().isEmpty();
    }
}
