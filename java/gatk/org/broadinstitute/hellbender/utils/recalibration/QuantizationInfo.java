package org.broadinstitute.hellbender.utils.recalibration;

/** Part of GATK's class. */
public class QuantizationInfo {}
