package org.gklshim.gatk.recalibration;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

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
        know(ENGINE, "FeatureContext", "ReferenceDataSource",
                "filters/AlignmentAgreesWithHeaderReadFilter", "filters/CountingReadFilter",
                "filters/CountingReadFilter$CountingAndReadFilter",
                "filters/CountingReadFilter$CountingBinopReadFilter", "filters/ReadFilterLibrary",
                "filters/ReadFilterLibrary$CigarContainsNoNOperator",
                "filters/ReadFilterLibrary$HasReadGroupReadFilter",
                "filters/ReadFilterLibrary$MappedReadFilter",
                "filters/ReadFilterLibrary$MappingQualityAvailableReadFilter",
                "filters/ReadFilterLibrary$MappingQualityNotZeroReadFilter",
                "filters/ReadFilterLibrary$MatchingBasesAndQualsReadFilter",
                "filters/ReadFilterLibrary$NotDuplicateReadFilter",
                "filters/ReadFilterLibrary$NotSecondaryAlignmentReadFilter",
                "filters/ReadFilterLibrary$PassesVendorQualityCheckReadFilter",
                "filters/ReadFilterLibrary$ReadLengthEqualsCigarLengthReadFilter",
                "filters/ReadFilterLibrary$SeqIsStoredReadFilter",
                "filters/ReadFilterLibrary$ValidAlignmentEndReadFilter",
                "filters/ReadFilterLibrary$ValidAlignmentStartReadFilter",
                "filters/WellformedReadFilter");
        know(WALKERS, "bqsr/ApplyBQSR", "bqsr/BaseRecalibrator");
        know("org/broadinstitute/hellbender/transformers/", "BQSRReadTransformer");
        know(UTILS, "BaseUtils", "clipping/ClippingOp", "clipping/ReadClipper",
                "collections/NestedIntegerArray", "read/CigarBuilder", "read/CigarUtils",
                "read/ReadUtils", "read/SAMRecordToGATKReadAdapter",
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
