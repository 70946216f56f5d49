package org.gklshim.gatk.regions;

import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.HaplotypeCallerEngine;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;

/**
 * HaplotypeCaller's regions. A call works on copies of the region's reads, so regions share nothing
 * that changes, except {@link EmittedDeletions}.
 */
final class HaplotypeCallerRegions extends Caller {
    /** The tag of a read's mismatches, which GATK sets where a read first occurs in a pileup. */
    private static final String MISMATCHES_TAG = "MZ";

    private final HaplotypeCallerEngine engine;
    private final boolean hasPileups;
    private final boolean emitsReference;
    private final EmittedDeletions deletions;

    HaplotypeCallerRegions(AssemblyRegionWalker walker) {
        super(walker, "hcArgs", "hcEngine");
        engine = (HaplotypeCallerEngine) engine();
        hasPileups = isSet("pileupDetectionArgs.usePileupDetection");
        emitsReference = engine.emitReferenceConfidence();
        deletions = new EmittedDeletions(argument("standardArgs"));
        if (emitsReference) {
            makeTableOfIndels();
        }
    }

    /**
     * Makes a table of GATK that has an entry for each ploidy. It grows without a lock, so a thread
     * may miss an entry that another one has just made.
     */
    private void makeTableOfIndels() {
        int ploidy = (int) argument("standardArgs.genotypeArgs.samplePloidy");
        Object model = Members.get(engine, "referenceConfidenceModel");
        Members.call(model, "getIndelPLs", ploidy, 1);
    }

    @Override
    boolean isSkipped(AssemblyRegion region) {
        return !region.isActive() && !emitsReference;
    }

    @Override
    AssemblyRegion forThread(AssemblyRegion region) {
        // A read from a BAM file is decoded when it is asked, which is not made for two threads.
        for (GATKRead read : region.getReads()) {
            read.getReadGroup();
            read.getCigarElements();
            read.getBasesNoCopy();
            read.getBaseQualitiesNoCopy();
        }
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
        return engine(engine);
    }

    @Override
    Engine another() {
        Object reference = Members.call(
                walker, "getReferenceReader", Members.get(walker, "referenceArguments"));
        return engine((HaplotypeCallerEngine) newEngine(reference));
    }

    private Engine engine(HaplotypeCallerEngine caller) {
        return engine(caller, (region, bases, features) -> deletions.during(
                region.getSpan(), () -> caller.callRegion(region, features, bases)));
    }
}
