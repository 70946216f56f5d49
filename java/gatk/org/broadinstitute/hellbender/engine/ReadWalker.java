package org.broadinstitute.hellbender.engine;

import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class, with a method that the agent adds. */
public abstract class ReadWalker extends GATKTool {
    public abstract void apply(GATKRead read, ReferenceContext reference, FeatureContext features);

    public native void traverse$original();
}
