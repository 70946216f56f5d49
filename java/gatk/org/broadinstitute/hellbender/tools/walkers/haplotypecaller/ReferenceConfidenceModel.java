package org.broadinstitute.hellbender.tools.walkers.haplotypecaller;

import htsjdk.samtools.util.Locatable;
import htsjdk.variant.variantcontext.VariantContext;
import java.util.Collection;
import java.util.List;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.tools.walkers.genotyper.PloidyModel;
import org.broadinstitute.hellbender.utils.MathUtils;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.genotyper.SampleList;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class, with methods that the agent adds, and fields that it makes public. */
public class ReferenceConfidenceModel {
    public SampleList samples;
    public int indelInformativeDepthIndelSize;
    public byte refModelDeletionQuality;
    public boolean useSoftClippedBases;
    public boolean flowBasedModel;

    public native VariantContext makeReferenceConfidenceVariantContext(int ploidy, byte[] ref,
            String sampleName, int globalRefOffset, ReadPileup pileup, Locatable curPos,
            int offset, boolean applyPriors, List<VariantContext> priors);

    public native List<VariantContext> calculateRefConfidence$original(Haplotype refHaplotype,
            Collection<Haplotype> calledHaplotypes, SimpleInterval paddedReferenceLoc,
            AssemblyRegion activeRegion, AlleleLikelihoods<GATKRead, Haplotype> readLikelihoods,
            PloidyModel ploidyModel, List<VariantContext> variantCalls, boolean applyPriors,
            List<VariantContext> priors);

    public native ReferenceConfidenceResult calcGenotypeLikelihoodsOfRefVsAny$original(int ploidy,
            ReadPileup pileup, byte refBase, byte minBaseQual,
            MathUtils.RunningAverage hqSoftClips, boolean readsWereRealigned);

    /** Since GATK 4.7. */
    public native ReferenceConfidenceResult calcGenotypeLikelihoodsOfRefVsAny$original(int ploidy,
            ReadPileup pileup, byte refBase, byte minBaseQual,
            MathUtils.RunningAverage hqSoftClips, boolean readsWereRealigned,
            double altMultiplier);

    public native int calcNReadsWithNoPlausibleIndelsReads$original(ReadPileup pileup,
            int pileupOffsetIntoRef, byte[] ref, int maxIndelSize);
}
