package org.broadinstitute.hellbender.tools;

/** Stands for GATK's class. */
public final class FlowBasedArgumentCollection {}
