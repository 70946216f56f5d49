package org.gklshim.gatk.walk;

import htsjdk.samtools.CigarOperator;
import org.broadinstitute.hellbender.utils.MathUtils;
import org.broadinstitute.hellbender.utils.QualityUtils;

/**
 * The screen of HaplotypeCaller with one sample. A position is not active if no genotype is more
 * likely than homozygous reference.
 *
 * <p>GATK adds up, for each genotype, the logarithms of the reads' likelihoods. A read that supports
 * the reference adds at least the credit to the lead of homozygous reference over each other
 * genotype. The debit of other reads is what they take from this, and from the lead. If the lead is
 * not negative, then GATK's likelihood of homozygous reference, as an integer on the Phred scale, is
 * the best, and GATK calls the position inactive: rounding errors of sums are far smaller than the
 * half of a unit that GATK's rounding forgives.
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

    /** Returns what is missing to the credit if a read adds this to the lead. */
    private long debit(double lead) {
        return Math.max(0, credit - (long) Math.floor(lead * SCALE));
    }

    /** Returns what a read adds to the lead of homozygous reference over the next genotype. */
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
