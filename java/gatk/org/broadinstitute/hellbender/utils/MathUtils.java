package org.broadinstitute.hellbender.utils;

/** Part of GATK's class. */
public final class MathUtils {
    // Not a constant of the language: the compiler would copy it.
    public static final double LOG10_ONE_THIRD = Math.log10(1.0 / 3);

    /** Part of GATK's class. */
    public static final class RunningAverage {}

    public static native int fastRound(double value);

    public static native double approximateLog10SumLog10(double a, double b);
}
