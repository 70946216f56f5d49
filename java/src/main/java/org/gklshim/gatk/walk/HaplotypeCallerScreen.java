package org.gklshim.gatk.walk;

import htsjdk.samtools.CigarOperator;
import org.broadinstitute.hellbender.utils.MathUtils;
import org.broadinstitute.hellbender.utils.QualityUtils;

/**
 * The screen of HaplotypeCaller with one sample. A position is not active if no genotype is more
 * likely than the homozygous reference.
 *
 * <p>GATK adds up, for each genotype, the logarithms of the reads' likelihoods. The lead of a
 * position is the sum for homozygous reference, minus the largest sum of the other genotypes. Most
 * reads support the reference, and add at least the credit to the lead. The debit of a read is what
 * it lacks to that. So the lead is at least the number of reads times the credit, minus all debits.
 * If this is not negative, the position is not active: GATK compares likelihoods as integers on the
 * Phred scale, and the rounding errors of its sums are far smaller than half a unit of that.
 */
final class HaplotypeCallerScreen extends Screen {
    /** Bases of a lower quality than most are debited one by one, so that the credit is larger. */
    private static final int LOW_QUALITY = 10;
    /** The unit of debits: fixed-point numbers add up the same in any order. */
    private static final double SCALE = 1 << 20;
    private static final int MAX_QUALITY = 127;

    private final long credit;

    /**
     * Makes the screen.
     *
     * @param minQuality bases of at most this quality are ignored by GATK
     * @param deletionQuality the quality of a deleted base
     * @param altMultiplier the weight of reads that do not support the reference
     */
    HaplotypeCallerScreen(int ploidy, byte minQuality, byte deletionQuality,
            double altMultiplier) {
        super(Math.max(minQuality, LOW_QUALITY));
        double least = Double.POSITIVE_INFINITY;
        for (int quality = lowQuality + 1; quality <= MAX_QUALITY; quality++) {
            least = Math.min(least, lead(ploidy, (byte) quality, false));
        }
        credit = (long) Math.floor(least * SCALE);
        for (int quality = 0; quality < match.length; quality++) {
            boolean isUsed = (byte) quality > minQuality;
            match[quality] = debit(isUsed ? lead(ploidy, (byte) quality, false) : 0);
            mismatch[quality] =
                    debit(isUsed ? altMultiplier * lead(ploidy, (byte) quality, true) : 0);
        }
        deletion = debit(altMultiplier * lead(ploidy, deletionQuality, true));
    }

    /** Returns whether this screen can reject any position. */
    boolean isUseful() {
        return credit > 0;
    }

    @Override
    long edge(CigarOperator neighbour, byte quality) {
        return mismatch[quality & 0xff];
    }

    @Override
    boolean counts(String sample) {
        return true;
    }

    @Override
    boolean mayBeActive(int depth, long debit) {
        return depth * credit < debit;
    }

    /** Returns the debit of a read that adds this to the lead. */
    private long debit(double lead) {
        return Math.max(0, credit - (long) Math.floor(lead * SCALE));
    }

    /** Returns the least that a read adds to the lead. */
    private static double lead(int ploidy, byte quality, boolean isAlt) {
        double right = QualityUtils.qualToProbLog10(quality);
        double wrong = QualityUtils.qualToErrorProbLog10(quality) + MathUtils.LOG10_ONE_THIRD;
        double reference = isAlt ? wrong : right;
        double other = isAlt ? right : wrong;
        double log10Ploidy = Math.log10(ploidy);
        double lead = reference - other;
        for (int copies = 1; copies < ploidy; copies++) {
            double mixed = MathUtils.approximateLog10SumLog10(
                    reference + Math.log10(ploidy - copies), other + Math.log10(copies));
            lead = Math.min(lead, reference + log10Ploidy - mixed);
        }
        return lead;
    }
}
