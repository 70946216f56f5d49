package org.broadinstitute.hellbender.engine;

import org.broadinstitute.hellbender.engine.spark.AssemblyRegionArgumentCollection;

/** Part of GATK's class, with two methods that the agent adds. */
public abstract class AssemblyRegionWalker extends GATKTool {
    public final AssemblyRegionArgumentCollection assemblyRegionArgs = null;

    public abstract AssemblyRegionEvaluator assemblyRegionEvaluator();

    public abstract boolean shouldTrackPileupsForAssemblyRegions();

    public native void traverse$original();

    public native void processReadShard$original(MultiIntervalLocalReadShard shard,
            ReferenceDataSource reference, FeatureManager features);
}
