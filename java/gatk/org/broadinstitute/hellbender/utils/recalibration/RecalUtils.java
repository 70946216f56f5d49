package org.broadinstitute.hellbender.utils.recalibration;

import java.io.PrintStream;
import org.broadinstitute.hellbender.utils.recalibration.covariates.StandardCovariateList;

/** Part of GATK's class, with a method that the agent adds. */
public final class RecalUtils {
    private RecalUtils() {}

    public static native void outputRecalibrationReport$original(PrintStream out,
            RecalibrationArgumentCollection arguments, QuantizationInfo quantization,
            RecalibrationTables tables, StandardCovariateList covariates);
}
