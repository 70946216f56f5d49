package org.gklshim.gatk.confidence;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.broadinstitute.hellbender.utils.MathUtils;
import org.broadinstitute.hellbender.utils.QualityUtils;

/** What one base adds to the log likelihood of each genotype, by its quality. */
final class BaseTerms {
    /** GATK takes no negative qualities. */
    private static final int QUALITIES = 128;
    private static final Map<Integer, BaseTerms> OF_PLOIDY = new ConcurrentHashMap<>();

    /** One for each number of copies that are not the reference. */
    final int genotypes;
    /** What GATK takes off all sums for each base. */
    final double log10Ploidy;
    /** What a base that matches the reference adds; quality q starts at q * genotypes. */
    final double[] match;
    /** The same for a base that does not. */
    final double[] mismatch;

    private BaseTerms(int ploidy) {
        genotypes = ploidy + 1;
        log10Ploidy = Math.log10(ploidy);
        match = new double[QUALITIES * genotypes];
        mismatch = new double[QUALITIES * genotypes];
        for (int quality = 0; quality < QUALITIES; quality++) {
            double right = QualityUtils.qualToProbLog10((byte) quality);
            double wrong =
                    QualityUtils.qualToErrorProbLog10((byte) quality) + MathUtils.LOG10_ONE_THIRD;
            fill(match, quality * genotypes, right, wrong);
            fill(mismatch, quality * genotypes, wrong, right);
        }
    }

    private void fill(double[] terms, int start, double reference, double other) {
        int ploidy = genotypes - 1;
        terms[start] = reference + log10Ploidy;
        terms[start + ploidy] = other + log10Ploidy;
        for (int copies = 1; copies < ploidy; copies++) {
            terms[start + copies] = MathUtils.approximateLog10SumLog10(
                    reference + Math.log10(ploidy - copies), other + Math.log10(copies));
        }
    }

    static BaseTerms of(int ploidy) {
        return OF_PLOIDY.computeIfAbsent(ploidy, BaseTerms::new);
    }
}
