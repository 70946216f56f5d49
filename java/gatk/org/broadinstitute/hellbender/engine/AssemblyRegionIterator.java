package org.broadinstitute.hellbender.engine;

import htsjdk.samtools.SAMFileHeader;
import java.util.Iterator;
import org.broadinstitute.hellbender.engine.spark.AssemblyRegionArgumentCollection;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class, with a method that the agent adds. */
public class AssemblyRegionIterator implements Iterator<AssemblyRegion> {
    public AssemblyRegionIterator(MultiIntervalShard<GATKRead> shard, SAMFileHeader header,
            ReferenceDataSource reference, FeatureManager features,
            AssemblyRegionEvaluator evaluator, AssemblyRegionArgumentCollection arguments,
            boolean trackPileups) {}

    @Override
    public native boolean hasNext();

    @Override
    public native AssemblyRegion next();

    public native AssemblyRegion loadNextAssemblyRegion$original();
}
