package org.gklshim.gatk.regions;

import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.HaplotypeCallerEngine;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;

/**
 * HaplotypeCaller's regions. A call works on copies of the region's reads, so that regions share
 * nothing that changes.
 */
final class HaplotypeCallerRegions extends Caller {
    /** The tag of a read's mismatches, which GATK sets where a read first occurs in a pileup. */
    private static final String MISMATCHES_TAG = "MZ";

    private final HaplotypeCallerEngine engine;
    private final boolean hasPileups;
    private final boolean emitsReference;

    HaplotypeCallerRegions(AssemblyRegionWalker walker) throws NoSuchFieldException {
        super(walker, "hcArgs", "hcEngine");
        engine = (HaplotypeCallerEngine) engine();
        hasPileups = isSet("pileupDetectionArgs.usePileupDetection");
        emitsReference = engine.emitReferenceConfidence();
    }

    @Override
    boolean isSkipped(AssemblyRegion region) {
        return !region.isActive() && !emitsReference;
    }

    @Override
    AssemblyRegion forThread(AssemblyRegion region) {
        return region;
    }

    @Override
    boolean mustFinish(AssemblyRegion region) {
        // The traversal would set the tag of such a read later, while a thread reads its tags.
        if (hasPileups) {
            for (GATKRead read : region.getReads()) {
                if (!read.hasAttribute(MISMATCHES_TAG)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    Engine main() {
        return (region, bases, features) -> engine.callRegion(region, features, bases);
    }

    @Override
    Engine another() {
        try {
            Object reference = Members.call(
                    walker, "getReferenceReader", Members.get(walker, "referenceArguments"));
            HaplotypeCallerEngine another = (HaplotypeCallerEngine) newEngine(reference);
            return (region, bases, features) -> another.callRegion(region, features, bases);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
