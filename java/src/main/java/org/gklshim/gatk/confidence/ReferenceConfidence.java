package org.gklshim.gatk.confidence;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.variant.variantcontext.VariantContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.tools.walkers.genotyper.PloidyModel;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.RefVsAnyResult;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.ReferenceConfidenceModel;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.ReferenceConfidenceResult;
import org.broadinstitute.hellbender.utils.MathUtils;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.ReadCoordinateComparator;
import org.broadinstitute.hellbender.utils.variant.GATKVariantContextUtils;
import org.gklshim.gatk.AlignedRead;

/**
 * The confidence that the positions of a region are homozygous reference, for GVCF. It takes the
 * place of methods of GATK's ReferenceConfidenceModel.
 *
 * <p>GATK makes a pileup of each position, and adds up what its reads say. We add each read to the
 * sums of all its positions. A sum has the same terms in the same order, so the results are the
 * same to the last bit. GATK makes the records of these. Unusual settings are left to GATK.
 */
public final class ReferenceConfidence {
    private ReferenceConfidence() {}

    /** Takes the place of the method. Returns the records of all positions of a region. */
    public static List<VariantContext> calculateRefConfidence(ReferenceConfidenceModel model,
            Haplotype refHaplotype, Collection<Haplotype> calledHaplotypes,
            SimpleInterval paddedReferenceLoc, AssemblyRegion region,
            AlleleLikelihoods<GATKRead, Haplotype> likelihoods, PloidyModel ploidyModel,
            List<VariantContext> calls, boolean applyPriors, List<VariantContext> priors) {
        ConfidenceSums sums = isUsual(model, likelihoods) && !applyPriors && priors.isEmpty()
                && refHaplotype != null
                && refHaplotype.length() == region.getPaddedSpan().size()
                && calledHaplotypes.contains(refHaplotype)
                ? sums(model, refHaplotype, region, likelihoods, ploidyModel.samplePloidy(0))
                : null;
        if (sums == null) {
            return model.calculateRefConfidence$original(refHaplotype, calledHaplotypes,
                    paddedReferenceLoc, region, likelihoods, ploidyModel, calls, applyPriors,
                    priors);
        }
        SimpleInterval span = region.getSpan();
        int referenceOffset = span.getStart() - region.getPaddedSpan().getStart();
        List<VariantContext> records = new ArrayList<>(span.size());
        for (int k = 0; k < span.size(); k++) {
            int position = span.getStart() + k;
            SimpleInterval location = new SimpleInterval(span.getContig(), position, position);
            VariantContext call =
                    GATKVariantContextUtils.getOverlappingVariantContext(location, calls);
            records.add(call != null && call.getStart() == position ? call
                    : model.makeReferenceConfidenceVariantContext(ploidyModel.samplePloidy(0),
                            refHaplotype.getBases(), likelihoods.getSample(0), referenceOffset,
                            new SummedPileup(location, sums, k), location, k, false, priors));
        }
        return records;
    }

    private static boolean isUsual(ReferenceConfidenceModel model,
            AlleleLikelihoods<GATKRead, Haplotype> likelihoods) {
        // A subclass, such as Mutect2's, looks at the reads of pileups.
        return model.getClass() == ReferenceConfidenceModel.class && model.useSoftClippedBases
                && !model.flowBasedModel && model.refModelDeletionQuality >= 0
                && model.samples.numberOfSamples() == 1
                && likelihoods.numberOfSamples() == 1;
    }

    /** Returns the sums over all reads, or null if GATK refuses one of them. */
    static ConfidenceSums sums(ReferenceConfidenceModel model, Haplotype haplotype,
            AssemblyRegion region, AlleleLikelihoods<GATKRead, Haplotype> likelihoods,
            int ploidy) {
        SAMFileHeader header = region.getHeader();
        List<GATKRead> reads = new ArrayList<>(likelihoods.sampleEvidence(0));
        reads.sort(new ReadCoordinateComparator(header));
        ConfidenceSums sums = new ConfidenceSums(region.getSpan(), haplotype.getBases(),
                region.getPaddedSpan().getStart(),
                BaseTerms.of(ploidy), model.refModelDeletionQuality,
                new IndelTest(haplotype.getBases(), model.indelInformativeDepthIndelSize));
        for (GATKRead read : reads) {
            AlignedRead aligned = new AlignedRead(read);
            if (aligned.isMalformed()) {
                return null;
            }
            sums.add(aligned);
        }
        return sums;
    }

    /** Takes the place of the method. */
    public static ReferenceConfidenceResult calcGenotypeLikelihoodsOfRefVsAny(
            ReferenceConfidenceModel model, int ploidy, ReadPileup pileup, byte refBase,
            byte minBaseQuality, MathUtils.RunningAverage softClips, boolean isRealigned) {
        if (pileup instanceof SummedPileup) {
            return likelihoods(ploidy, (SummedPileup) pileup);
        }
        return model.calcGenotypeLikelihoodsOfRefVsAny$original(ploidy, pileup, refBase,
                minBaseQuality, softClips, isRealigned);
    }

    /**
     * Takes the place of the method in GATK 4.7. The multiplier is 1 for the positions of a region:
     * it weighs reads in the search for active regions.
     */
    public static ReferenceConfidenceResult calcGenotypeLikelihoodsOfRefVsAny(
            ReferenceConfidenceModel model, int ploidy, ReadPileup pileup, byte refBase,
            byte minBaseQuality, MathUtils.RunningAverage softClips, boolean isRealigned,
            double altMultiplier) {
        if (pileup instanceof SummedPileup) {
            return likelihoods(ploidy, (SummedPileup) pileup);
        }
        return model.calcGenotypeLikelihoodsOfRefVsAny$original(ploidy, pileup, refBase,
                minBaseQuality, softClips, isRealigned, altMultiplier);
    }

    private static ReferenceConfidenceResult likelihoods(int ploidy, SummedPileup pileup) {
        RefVsAnyResult result = new RefVsAnyResult(ploidy + 1);
        pileup.sums.fill(pileup.index, result);
        return result;
    }

    /** Takes the place of the method. */
    public static int calcNReadsWithNoPlausibleIndelsReads(ReferenceConfidenceModel model,
            ReadPileup pileup, int referenceOffset, byte[] reference, int maxIndelSize) {
        if (pileup instanceof SummedPileup) {
            return ((SummedPileup) pileup).readsWithoutIndel();
        }
        return model.calcNReadsWithNoPlausibleIndelsReads$original(pileup, referenceOffset,
                reference, maxIndelSize);
    }
}
