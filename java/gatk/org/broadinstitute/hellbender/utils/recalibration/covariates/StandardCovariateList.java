package org.broadinstitute.hellbender.utils.recalibration.covariates;

/** Part of GATK's class. */
public final class StandardCovariateList {}
