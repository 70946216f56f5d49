package org.broadinstitute.hellbender.engine;

/** Part of GATK's class. */
public final class FeatureDataSource<T> {
    public static final int DEFAULT_QUERY_LOOKAHEAD_BASES = 1000;
}
