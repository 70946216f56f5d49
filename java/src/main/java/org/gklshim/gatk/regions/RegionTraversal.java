package org.gklshim.gatk.regions;

import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.engine.FeatureManager;
import org.broadinstitute.hellbender.engine.MultiIntervalLocalReadShard;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;

/** The traversal of a tool that walks over regions, such as HaplotypeCaller. */
public final class RegionTraversal {
    /** The threads of the tool that traverses in this thread. */
    private static final ThreadLocal<RegionThreads> THREADS = new ThreadLocal<>();

    private RegionTraversal() {}

    /** Takes the place of the method of {@link AssemblyRegionWalker}. */
    public static void traverse(AssemblyRegionWalker walker) {
        RegionThreads threads = RegionThreads.of(walker);
        if (threads == null) {
            walker.traverse$original();
            return;
        }
        THREADS.set(threads);
        try {
            threads.run(walker::traverse$original);
        } finally {
            THREADS.remove();
        }
    }

    /** Takes the place of the method of {@link AssemblyRegionWalker}. */
    public static void processReadShard(AssemblyRegionWalker walker,
            MultiIntervalLocalReadShard shard, ReferenceDataSource reference,
            FeatureManager features) {
        RegionThreads threads = THREADS.get();
        if (threads == null) {
            walker.processReadShard$original(shard, reference, features);
        } else {
            threads.process(shard, features);
        }
    }
}
