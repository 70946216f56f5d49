package org.gklshim.gatk.regions;

import java.util.OptionalInt;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyBasedCallerUtils;
import org.broadinstitute.hellbender.tools.walkers.mutect.Mutect2Engine;
import org.broadinstitute.hellbender.utils.genotyper.SampleList;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;

/**
 * Mutect2's regions. A call begins with a change of the reads themselves: where the two reads of a
 * pair overlap, it lowers their qualities. Later regions and the traversal see the change. So the
 * traversal's thread makes it, in order, and each thread makes it again in its own copies.
 */
final class Mutect2Regions extends Caller {
    private final Mutect2Engine engine;
    private final SampleList samples;
    private final OptionalInt halfOfPcrSnvQuality;
    private final OptionalInt halfOfPcrIndelQuality;

    Mutect2Regions(AssemblyRegionWalker walker) {
        super(walker, "MTAC", "m2Engine");
        engine = (Mutect2Engine) toolsEngine;
        samples = (SampleList) Members.get(engine, "samplesList");
        halfOfPcrSnvQuality = OptionalInt.of((int) arguments.get("pcrSnvQual") / 2);
        halfOfPcrIndelQuality = OptionalInt.of((int) arguments.get("pcrIndelQual") / 2);
    }

    @Override
    String serialReason() {
        if (engine.emitReferenceConfidence()) {
            return "--emit-ref-confidence";
        }
        if (arguments.isSet("pileupDetectionArgs.usePileupDetection")) {
            return "--pileup-detection";
        }
        for (String field : new String[] {
            "mutect3Dataset", "permutectTestDataset", "permutectTrainingDataset",
        }) {
            if (arguments.isSet(field)) {
                return "a dataset for Permutect";
            }
        }
        return super.serialReason();
    }

    @Override
    boolean isSkipped(AssemblyRegion region) {
        if (region.isActive() && region.size() > 0) {
            return false;
        }
        lowerQualities(region);
        return true;
    }

    @Override
    AssemblyRegion forThread(AssemblyRegion region) {
        AssemblyRegion copy = new AssemblyRegion(region.getSpan(), region.getPaddedSpan(),
                region.isActive(), walker.getHeaderForReads());
        for (GATKRead read : region.getReads()) {
            copy.add(read.copy());
        }
        lowerQualities(region);
        return copy;
    }

    private void lowerQualities(AssemblyRegion region) {
        AssemblyBasedCallerUtils.cleanOverlappingReadPairs(region.getReads(), samples,
                walker.getHeaderForReads(), false, halfOfPcrSnvQuality, halfOfPcrIndelQuality);
    }

    @Override
    Engine main() {
        return engine(engine, engine::callRegion);
    }

    @Override
    Engine another(SharedReference none) {
        // Reads are counted by orientation (--f1r2-tar-gz) where active regions are found, which is
        // the work of the tool's own engine.
        Object path = Members.call(
                Members.get(walker, "referenceArguments"), "getReferenceSpecifier");
        Mutect2Engine another = (Mutect2Engine) engines.make(path);
        return engine(another, another::callRegion);
    }
}
