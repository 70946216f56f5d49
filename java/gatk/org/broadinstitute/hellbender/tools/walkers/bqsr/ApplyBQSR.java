package org.broadinstitute.hellbender.tools.walkers.bqsr;

import org.broadinstitute.hellbender.engine.ReadWalker;

/** Part of GATK's class. */
public abstract class ApplyBQSR extends ReadWalker {}
