package org.broadinstitute.hellbender.engine;

/** Part of GATK's interface. */
public interface MultiIntervalShard<T> {}
