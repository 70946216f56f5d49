package org.broadinstitute.hellbender.transformers;

import org.broadinstitute.hellbender.utils.recalibration.RecalDatum;

/** Part of GATK's class. */
public abstract class BQSRReadTransformer implements ReadTransformer {
    public static double hierarchicalBayesianQualityEstimate(double prior, RecalDatum group,
            RecalDatum quality, RecalDatum... others) {
        throw new UnsupportedOperationException();
    }
}
