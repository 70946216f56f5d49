package org.gklshim.gatk.annotations;

import java.util.Arrays;
import org.broadinstitute.hellbender.utils.MannWhitneyU;

/**
 * The exact rank-sum test of two short series. GATK enumerates in how many ways their ranks can be
 * divided between the two, up to 48,620. This class counts by rank sum, without enumeration.
 */
public final class RankSums {
    private RankSums() {}

    /**
     * Takes the place of the method of {@link MannWhitneyU}. Equal values share the mean of their
     * ranks, a multiple of 1/2, so sums of doubled ranks are integers and counts are exact.
     *
     * @param u the observed statistic: the rank sum of one series, less its smallest possible value
     * @return the fraction of the divisions whose rank sum of series 1 is smaller than the observed
     *     one, and half of the fraction with an equal sum
     */
    public static double permutationTest(MannWhitneyU test, double[] series1, double[] series2,
            double u) {
        int n1 = series1.length;
        double[] values = Arrays.copyOf(series1, n1 + series2.length);
        System.arraycopy(series2, 0, values, n1, series2.length);
        Arrays.sort(values);
        long observed = Math.round(2 * u) + n1 * (n1 + 1);
        int[] divisions = divisions(values, n1);
        // GATK's ranks of NaN depend on the series that has it. If no division has the sum, GATK
        // ends with an error. That can happen if the statistic is the one of series 2.
        if (Double.isNaN(values[values.length - 1]) || observed < 0
                || observed >= divisions.length || divisions[(int) observed] == 0) {
            return test.permutationTest$original(series1, series2, u);
        }
        int smaller = 0;
        int all = 0;
        for (int sum = 0; sum < divisions.length; sum++) {
            all += divisions[sum];
            smaller += sum < observed ? divisions[sum] : 0;
        }
        return (smaller + divisions[(int) observed] / 2.0) / all;
    }

    /**
     * Counts the choices of n of the values by the sum of their doubled ranks.
     *
     * @param sorted at least one value
     */
    private static int[] divisions(double[] sorted, int n) {
        int[][] choices = new int[n + 1][sorted.length * (sorted.length + 1) + 1];
        choices[0][0] = 1;
        int end;
        for (int start = 0; start < sorted.length; start = end) {
            end = start + 1;
            while (end < sorted.length && sorted[end] == sorted[start]) {
                end++;
            }
            // Ranks start at 1: this is twice the mean of start + 1, ..., end.
            int rank = start + 1 + end;
            for (int k = start; k < end; k++) {
                for (int chosen = Math.min(k + 1, n); chosen > 0; chosen--) {
                    add(choices[chosen], choices[chosen - 1], rank);
                }
            }
        }
        return choices[n];
    }

    private static void add(int[] sums, int[] smaller, int rank) {
        for (int sum = rank; sum < sums.length; sum++) {
            sums[sum] += smaller[sum - rank];
        }
    }
}
