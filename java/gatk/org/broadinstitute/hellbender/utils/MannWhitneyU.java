package org.broadinstitute.hellbender.utils;

/** Part of GATK's class, with a method that the agent adds. */
public class MannWhitneyU {
    public native double permutationTest$original(double[] series1, double[] series2,
            double testStatU);
}
