package org.gklshim.gatk.likelihoods;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.pairhmm.VectorLoglessPairHMM;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/**
 * Steps between the likelihoods of haplotypes and those of alleles. They take long in regions of
 * many reads and haplotypes.
 */
public final class Likelihoods {
    private Likelihoods() {}

    /**
     * Takes the place of the method of {@link AlleleLikelihoods}: a new allele's likelihood is the
     * largest of its old alleles. GATK makes a stream for each number.
     *
     * @param oldAlleles the numbers of each new allele's old ones
     * @return by sample, new allele and read
     */
    public static double[][][] marginalLikelihoodsDirect(AlleleLikelihoods<?, ?> likelihoods,
            int newAlleles, List<BitSet> oldAlleles) {
        double[][][] old = likelihoods.valuesBySampleIndex;
        double[][][] result = new double[likelihoods.numberOfSamples()][][];
        for (int sample = 0; sample < result.length; sample++) {
            int reads = likelihoods.evidenceBySampleIndex.get(sample).size();
            result[sample] = new double[newAlleles][reads];
            for (int allele = 0; allele < newAlleles; allele++) {
                double[] largest = result[sample][allele];
                Arrays.fill(largest, Double.NEGATIVE_INFINITY);
                BitSet numbers = oldAlleles.get(allele);
                for (int k = numbers.nextSetBit(0); k >= 0; k = numbers.nextSetBit(k + 1)) {
                    raise(largest, old[sample][k]);
                }
            }
        }
        return result;
    }

    private static void raise(double[] largest, double[] values) {
        for (int k = 0; k < largest.length; k++) {
            largest[k] = Math.max(largest[k], values[k]);
        }
    }

    /**
     * Takes the place of the method of {@link VectorLoglessPairHMM}, which numbers a region's
     * haplotypes. GATK looks up the number of a haplotype for each of its likelihoods.
     */
    public static void initialize(VectorLoglessPairHMM pairHmm, List<Haplotype> haplotypes,
            Map<String, List<GATKRead>> reads, int maxReadLength, int maxHaplotypeLength) {
        if (!(pairHmm.haplotypeToHaplotypeListIdxMap instanceof HaplotypeNumbers)) {
            pairHmm.haplotypeToHaplotypeListIdxMap = new HaplotypeNumbers();
        }
        pairHmm.initialize$original(haplotypes, reads, maxReadLength, maxHaplotypeLength);
    }
}
