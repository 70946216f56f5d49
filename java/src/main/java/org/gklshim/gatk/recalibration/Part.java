package org.gklshim.gatk.recalibration;

import org.gklshim.GatkPart;
import org.gklshim.Setting;
import org.gklshim.gatk.records.RecordClasses;

/** Counts errors and recalibrates qualities in threads. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String ENGINE = "org/broadinstitute/hellbender/engine/";
    private static final String UTILS = "org/broadinstitute/hellbender/utils/";
    private static final String WALKERS = "org/broadinstitute/hellbender/tools/walkers/";

    private Part() {
        super("recalibration", new Setting("recalibration"));
        redirect(ENGINE + "ReadWalker", "org/gklshim/gatk/ReadTraversal", "traverse");
        redirect(UTILS + "recalibration/RecalUtils", "BufferedReport", "outputRecalibrationReport");
        know(ENGINE, "FeatureContext", "ReferenceDataSource");
        know("", RecordClasses.FILTERS);
        know("", RecordClasses.OBJECTS);
        know(WALKERS, "bqsr/ApplyBQSR", "bqsr/BaseRecalibrator");
        know("org/broadinstitute/hellbender/transformers/", "BQSRReadTransformer");
        know(UTILS, "BaseUtils", "clipping/ClippingOp", "clipping/ReadClipper",
                "collections/NestedIntegerArray", "read/CigarBuilder", "read/CigarUtils",
                "read/ReadUtils",
                "recalibration/BaseRecalibrationEngine", "recalibration/QuantizationInfo",
                "recalibration/ReadRecalibrationInfo", "recalibration/RecalDatum",
                "recalibration/RecalibrationArgumentCollection",
                "recalibration/RecalibrationTables", "recalibration/covariates/ContextCovariate",
                "recalibration/covariates/CycleCovariate",
                "recalibration/covariates/QualityScoreCovariate",
                "recalibration/covariates/ReadGroupCovariate",
                "recalibration/covariates/StandardCovariateList");
    }
}
