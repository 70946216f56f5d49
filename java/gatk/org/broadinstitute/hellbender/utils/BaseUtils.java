package org.broadinstitute.hellbender.utils;

import java.util.Comparator;

/** Part of GATK's class. */
public final class BaseUtils {
    public static Comparator<byte[]> BASES_COMPARATOR;

    private BaseUtils() {}

    public static native int simpleBaseToBaseIndex(byte base);
}
