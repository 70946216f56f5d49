package org.broadinstitute.hellbender.engine.spark;

/** Part of GATK's class. */
public class AssemblyRegionArgumentCollection {
    public boolean forceActive;
    public int minAssemblyRegionSize;
    public int maxAssemblyRegionSize;
    public int assemblyRegionPadding;
    public double activeProbThreshold;
    public int maxProbPropagationDistance;
}
