package org.broadinstitute.hellbender.utils.pairhmm;

import htsjdk.samtools.util.Locatable;
import java.util.List;
import org.broadinstitute.hellbender.utils.genotyper.LikelihoodMatrix;
import org.broadinstitute.hellbender.utils.haplotype.PartiallyDeterminedHaplotype;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.hmm.Region;
import org.gklshim.pdhmm.Pdhmm;

/**
 * Replaces GATK's class of the same name, its PDHMM in Java, in the versions of GATK that have no
 * native PDHMM. It computes a region in one call instead of pair by pair.
 */
public class LoglessPDPairHMM extends PDPairHMM {
    /** GATK's key of a read's place before it was clipped. */
    private static final String UNCLIPPED_SPAN = "originalAlignment";

    /** GATK has no setting for the threads of this class, so it gets those of all CPUs. */
    private final int configuration = Pdhmm.INSTANCE.initialize(Integer.MAX_VALUE);

    @Override
    public void computeLog10Likelihoods(
            LikelihoodMatrix<GATKRead, PartiallyDeterminedHaplotype> logLikelihoods,
            List<GATKRead> processedReads, PairHMMInputScoreImputator inputScoreImputator,
            int rangeForReadOverlapToDeterminedBases) {
        if (processedReads.isEmpty()) {
            return;
        }
        startTime = System.nanoTime();
        List<PartiallyDeterminedHaplotype> alleles = logLikelihoods.alleles();
        byte[][][] reads = new byte[processedReads.size()][][];
        Region region = Pdhmm.INSTANCE.region(reads.length, alleles.size());
        for (int r = 0; r < reads.length; r++) {
            GATKRead read = processedReads.get(r);
            PairHMMInputScoreImputation scores = inputScoreImputator.impute(read);
            reads[r] = new byte[][] {
                read.getBases(), read.getBaseQualities(), scores.insOpenPenalties(),
                scores.delOpenPenalties(), scores.gapContinuationPenalties()
            };
            region.addRead(reads[r]);
        }
        for (PartiallyDeterminedHaplotype allele : alleles) {
            region.addHaplotype(allele.getBases(), allele.getAlternateBases());
        }
        double[] likelihoods = new double[reads.length * alleles.size()];
        if (likelihoods.length > 0) {
            Pdhmm.INSTANCE.compute(configuration, region, likelihoods);
        }
        mLogLikelihoodArray = likelihoods;
        int pair = 0;
        for (int r = 0; r < reads.length; r++) {
            Object span = processedReads.get(r).getTransientAttribute(UNCLIPPED_SPAN);
            for (int a = 0; a < alleles.size(); a++, pair++) {
                PartiallyDeterminedHaplotype allele = alleles.get(a);
                // As in GATK: only reads at the determined letters count, with one letter to spare.
                if (rangeForReadOverlapToDeterminedBases >= 0
                        && !allele.getMaximumExtentOfSiteDeterminedAlleles().overlapsWithMargin(
                                (Locatable) span, rangeForReadOverlapToDeterminedBases + 1)) {
                    likelihoods[pair] = Double.NEGATIVE_INFINITY;
                } else {
                    check(likelihoods[pair]);
                }
                logLikelihoods.set(a, r, likelihoods[pair]);
                writeToResultsFileIfApplicable(reads[r][0], reads[r][1], reads[r][2], reads[r][3],
                        reads[r][4], allele.getBases(), allele.getAlternateBases(),
                        likelihoods[pair]);
            }
        }
        if (doProfiling) {
            threadLocalPairHMMComputeTimeDiff = System.nanoTime() - startTime;
            pairHMMComputeTime += threadLocalPairHMMComputeTimeDiff;
        }
    }

    @Override
    public double subComputeReadLikelihoodGivenHaplotypeLog10(byte[] haplotypeBases,
            byte[] haplotypePDBases, byte[] readBases, byte[] readQuals, byte[] insertionGOP,
            byte[] deletionGOP, byte[] overallGCP, int hapStartIndex, boolean recacheReadValues,
            int nextHapStartIndex) {
        Region region = Pdhmm.INSTANCE.region(1, 1);
        region.addRead(readBases, readQuals, insertionGOP, deletionGOP, overallGCP);
        region.addHaplotype(haplotypeBases, haplotypePDBases);
        double[] likelihood = new double[1];
        Pdhmm.INSTANCE.compute(configuration, region, likelihood);
        return likelihood[0];
    }

    private static void check(double likelihood) {
        if (!(likelihood <= 0)) {
            throw new IllegalStateException(
                    "PairHMM Log Probability cannot be greater than 0: " + likelihood);
        }
    }
}
