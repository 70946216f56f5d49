package org.broadinstitute.hellbender.engine.spark;

/** Part of GATK's class. */
public class AssemblyRegionArgumentCollection {
    public boolean forceActive;
}
