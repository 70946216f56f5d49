package org.gklshim.gatk.walk;

import htsjdk.samtools.CigarOperator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.apache.commons.lang3.mutable.MutableLong;
import org.broadinstitute.hellbender.tools.walkers.mutect.Mutect2Engine;

/**
 * The screen of Mutect2. A position is not active if the tumor's reads that do not support the
 * reference are too few, or of too low a quality, for the log odds of a variant that GATK asks for.
 *
 * <p>The debit holds the number of these reads, and the sum of their qualities. GATK may lower the
 * qualities of a read after this screen has seen it, so a position is only rejected if its log odds
 * are too low with all qualities up to this sum.
 */
final class Mutect2Screen extends Screen {
    /** Mismatches of at most this quality are ignored by GATK. */
    private static final int MIN_QUALITY = 6;
    /** The quality that a soft clip has for GATK. */
    private static final int SOFT_CLIP_QUALITY = 30;
    /** GATK always looks at positions with more alternative reads than this. */
    private static final int MOST_ALTS = 3;
    /** The debit of one read, without its quality. */
    private static final long ALT = 1L << 32;
    /** More than all rounding errors of log odds. */
    private static final double TOLERANCE = 1e-6;

    private final Set<String> normalSamples;
    private final double minLogOdds;
    private final int maxQuality;
    private final int minCallableDepth;
    private final MutableLong callableSites;

    /** For each depth and number of alternative reads, the least sum of qualities that may do. */
    private final List<int[]> leastSums = new ArrayList<>();

    /**
     * Makes the screen.
     *
     * @param correction what GATK adds to the quality of a mismatch
     * @param minCallableDepth the depth from which on GATK counts a position as callable
     * @param callableSites GATK's count of these
     */
    Mutect2Screen(Set<String> normalSamples, double minLogOdds, int correction,
            int minCallableDepth, MutableLong callableSites) {
        super(-1);
        this.normalSamples = normalSamples;
        this.minLogOdds = minLogOdds;
        this.minCallableDepth = minCallableDepth;
        this.callableSites = callableSites;
        maxQuality = Byte.MAX_VALUE + correction;
        for (int quality = MIN_QUALITY + 1; quality <= Byte.MAX_VALUE; quality++) {
            mismatch[quality] = ALT + quality + correction;
        }
        deletion = ALT + Byte.MAX_VALUE;
    }

    @Override
    long edge(CigarOperator neighbour, byte quality) {
        return ALT + (neighbour == CigarOperator.S ? SOFT_CLIP_QUALITY : Byte.MAX_VALUE);
    }

    @Override
    boolean counts(String sample) {
        return !normalSamples.contains(sample);
    }

    @Override
    boolean mayBeActive(int depth, long debit) {
        int alts = (int) (debit >> 32);
        return alts > MOST_ALTS || (int) debit >= leastSums(depth)[alts];
    }

    @Override
    void skip(int depth) {
        if (depth >= minCallableDepth) {
            callableSites.increment();
        }
    }

    private int[] leastSums(int depth) {
        while (leastSums.size() <= depth) {
            leastSums.add(null);
        }
        int[] known = leastSums.get(depth);
        if (known == null) {
            known = findLeastSums(depth);
            leastSums.set(depth, known);
        }
        return known;
    }

    private int[] findLeastSums(int depth) {
        int[] least = new int[MOST_ALTS + 1];
        for (int alts = 0; alts <= MOST_ALTS; alts++) {
            // GATK may count some of these reads as one allele, and the others with the reference.
            least[alts] = alts == 0 ? Integer.MAX_VALUE : least[alts - 1];
            double[] best = mostLogOdds(depth, alts);
            for (int sum = 0; sum < best.length; sum++) {
                if (best[sum] >= minLogOdds - TOLERANCE) {
                    least[alts] = Math.min(least[alts], sum);
                    break;
                }
            }
        }
        return least;
    }

    /** Returns the largest log odds of some alternative reads, by the sum of their qualities. */
    private double[] mostLogOdds(int depth, int alts) {
        if (alts == 0) {
            return new double[] {Mutect2Engine.logLikelihoodRatio(depth, Collections.emptyList())};
        }
        // The log odds are a sum with one term for each read.
        double[] terms = new double[maxQuality + 1];
        for (int quality = 0; quality <= maxQuality; quality++) {
            terms[quality] = Mutect2Engine.logLikelihoodRatio(Math.max(0, depth - alts),
                    Collections.nCopies(alts, (byte) quality)) / alts;
        }
        double[] best = {0};
        for (int k = 0; k < alts; k++) {
            double[] more = new double[best.length + maxQuality];
            Arrays.fill(more, Double.NEGATIVE_INFINITY);
            for (int sum = 0; sum < best.length; sum++) {
                for (int quality = 0; quality <= maxQuality; quality++) {
                    more[sum + quality] =
                            Math.max(more[sum + quality], best[sum] + terms[quality]);
                }
            }
            best = more;
        }
        return best;
    }
}
