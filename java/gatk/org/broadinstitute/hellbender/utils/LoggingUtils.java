package org.broadinstitute.hellbender.utils;

import htsjdk.samtools.util.Log;

/** Part of GATK's class. */
public class LoggingUtils {
    public static native void setLoggingLevel(Log.LogLevel level);
}
