package org.broadinstitute.hellbender.utils;

/** Part of GATK's class. */
public final class QualityUtils {
    public static native byte boundQual(int quality, byte highest);

    public static native double qualToProbLog10(byte quality);

    public static native double qualToErrorProbLog10(byte quality);
}
