package org.gklshim.gatk.regions;

import htsjdk.samtools.util.Locatable;
import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.engine.FeatureInput;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.HaplotypeCallerEngine;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.variant.GATKVariantContextUtils;
import org.gklshim.gatk.Members;

/**
 * HaplotypeCaller's regions. A call works on copies of the region's reads, so regions share nothing
 * that changes, except {@link EmittedDeletions} and the reads' tags: see {@link #mustFinish}.
 */
final class HaplotypeCallerRegions extends Caller {
    /** The tag of a read's mismatches, which GATK sets where a read first occurs in a pileup. */
    private static final String MISMATCHES_TAG = "MZ";
    private static final String REFERENCE = "referenceReader";

    private final HaplotypeCallerEngine engine;
    private final boolean hasPileups;
    private final boolean emitsReference;
    /** The features of --population-callset, for which GATK asks in each region, or null. */
    private final FeatureInput<?> population;
    private final EmittedDeletions deletions;

    HaplotypeCallerRegions(AssemblyRegionWalker walker) {
        super(walker, "hcArgs", "hcEngine");
        engine = (HaplotypeCallerEngine) toolsEngine;
        hasPileups = arguments.isSet("pileupDetectionArgs.usePileupDetection");
        emitsReference = engine.emitReferenceConfidence();
        population = arguments.isSet("justDetermineActiveRegions") ? null
                : (FeatureInput<?>) Members.get(
                        arguments.fields, "standardArgs.genotypeArgs.supportVariants", null);
        deletions = new EmittedDeletions(
                arguments.get("standardArgs"), arguments.isSet("alleles") || hasPileups);
        makeTables();
    }

    /**
     * Makes two tables of GATK that have an entry for each ploidy. They grow without a lock, so a
     * thread may miss an entry that another one has just made.
     */
    private void makeTables() {
        Set<Integer> ploidies = new TreeSet<>();
        ploidies.add((int) arguments.get("standardArgs.genotypeArgs.samplePloidy"));
        for (Object ploidy : (Collection<?>) Members.get(
                engine, "allCustomPloidies", Collections.emptySet())) {
            ploidies.add((int) ploidy);
        }
        Object model = Members.get(engine, "referenceConfidenceModel");
        for (int ploidy : ploidies) {
            GATKVariantContextUtils.noCallAlleles(ploidy);
            if (emitsReference) {
                Members.call(model, "getIndelPLs", ploidy, 1);
            }
        }
    }

    @Override
    boolean isSkipped(AssemblyRegion region) {
        return !region.isActive() && !emitsReference;
    }

    @Override
    FeatureInput<?> skippedInput() {
        return population;
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
    void finish(Locatable span) {
        deletions.forget(span);
    }

    @Override
    Engine main() {
        return engine(engine);
    }

    @Override
    Engine another(SharedReference reference) {
        Object another = engines.make(Members.get(engine, REFERENCE));
        Members.replace(another, REFERENCE, reference);
        return engine((HaplotypeCallerEngine) another);
    }

    private Engine engine(HaplotypeCallerEngine caller) {
        return engine(caller, (region, bases, features) -> deletions.during(
                region.getSpan(), () -> caller.callRegion(region, features, bases)));
    }
}
