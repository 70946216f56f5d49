package org.gklshim.gatk.recalibration;

import java.io.BufferedOutputStream;
import java.io.PrintStream;
import org.broadinstitute.hellbender.utils.recalibration.QuantizationInfo;
import org.broadinstitute.hellbender.utils.recalibration.RecalUtils;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationArgumentCollection;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationTables;
import org.broadinstitute.hellbender.utils.recalibration.covariates.StandardCovariateList;

/** GATK's report of a recalibration. GATK writes each cell of its tables to the file at once. */
public final class BufferedReport {
    private static final int BUFFER = 1 << 16;

    private BufferedReport() {}

    /** Takes the place of the method of {@link RecalUtils}. */
    public static void outputRecalibrationReport(PrintStream out,
            RecalibrationArgumentCollection arguments, QuantizationInfo quantization,
            RecalibrationTables tables, StandardCovariateList covariates) {
        PrintStream buffered = new PrintStream(new BufferedOutputStream(out, BUFFER));
        try {
            RecalUtils.outputRecalibrationReport$original(buffered, arguments, quantization, tables,
                    covariates);
        } finally {
            buffered.flush();
        }
    }
}
