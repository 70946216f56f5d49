package org.broadinstitute.hellbender.utils.activityprofile;

import htsjdk.samtools.SAMFileHeader;

/** Part of GATK's class. */
public class BandPassActivityProfile {
    public static final int MAX_FILTER_SIZE = 50;
    public static final double DEFAULT_SIGMA = 17.0;

    public BandPassActivityProfile(int maxProbPropagationDistance, double activeProbThreshold,
            int maxFilterSize, double sigma, SAMFileHeader header) {}

    public native int getMaxProbPropagationDistance();

    protected native double[] getKernel();
}
