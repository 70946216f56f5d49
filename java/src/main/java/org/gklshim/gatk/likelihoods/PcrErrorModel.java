package org.gklshim.gatk.likelihoods;

import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.PDPairHMMLikelihoodCalculationEngine;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.PairHMMLikelihoodCalculationEngine;

/**
 * The model of PCR errors: it limits the qualities of insertions and deletions in a read's tandem
 * repeats, by the number of repeats. GATK copies units and compares them repeat by repeat, and looks
 * for units that end at a base, which do not change the number.
 */
public final class PcrErrorModel {
    private static final int LONGEST_UNIT = 8;

    private PcrErrorModel() {}

    /** Takes the place of the method of {@link PairHMMLikelihoodCalculationEngine}. */
    public static void applyPCRErrorModel(PairHMMLikelihoodCalculationEngine engine, byte[] bases,
            byte[] insertionQualities, byte[] deletionQualities) {
        apply(engine.pcrIndelErrorModelCache, bases, insertionQualities, deletionQualities);
    }

    /** Takes the place of the method of {@link PDPairHMMLikelihoodCalculationEngine}. */
    public static void applyPCRErrorModel(PDPairHMMLikelihoodCalculationEngine engine, byte[] bases,
            byte[] insertionQualities, byte[] deletionQualities) {
        apply(engine.pcrIndelErrorModelCache, bases, insertionQualities, deletionQualities);
    }

    /**
     * Limits qualities.
     *
     * @param highest the highest quality for each number of repeats; null without a model
     */
    private static void apply(byte[] highest, byte[] bases, byte[] insertionQualities,
            byte[] deletionQualities) {
        if (highest == null) {
            return;
        }
        for (int k = 0; k < bases.length - 1; k++) {
            int limit = 0xff & highest[repeats(bases, k + 1, highest.length - 1)];
            insertionQualities[k] = (byte) Math.min(0xff & insertionQualities[k], limit);
            deletionQualities[k] = (byte) Math.min(0xff & deletionQualities[k], limit);
        }
    }

    /**
     * Counts the repeats, before and after a base, of the unit that starts there. It is the shortest
     * that is repeated after it at least once, or the base alone.
     *
     * @param most what more repeats count as
     */
    static int repeats(byte[] bases, int start, int most) {
        int unit = unit(bases, start);
        int longest = most * unit;
        int end = start + unit;
        while (end < bases.length && end - start < longest && bases[end] == bases[end - unit]) {
            end++;
        }
        int first = start;
        while (first > 0 && start - first < longest && bases[first - 1] == bases[first - 1 + unit]) {
            first--;
        }
        return Math.min((end - start) / unit + (start - first) / unit, most);
    }

    private static int unit(byte[] bases, int start) {
        for (int unit = 1; unit <= LONGEST_UNIT && start + 2 * unit <= bases.length; unit++) {
            int k = start;
            while (k < start + unit && bases[k] == bases[k + unit]) {
                k++;
            }
            if (k == start + unit) {
                return unit;
            }
        }
        return 1;
    }
}
