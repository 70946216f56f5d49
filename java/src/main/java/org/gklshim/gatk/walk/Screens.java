package org.gklshim.gatk.walk;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.commons.lang3.mutable.MutableLong;
import org.broadinstitute.hellbender.engine.AssemblyRegionEvaluator;
import org.broadinstitute.hellbender.tools.walkers.mutect.M2ArgumentCollection;
import org.broadinstitute.hellbender.utils.genotyper.SampleList;
import org.gklshim.gatk.Members;

/** The choice of a screen for an engine of GATK. */
final class Screens {
    /** What GATK 4.3 and 4.4 add to the quality of a mismatch in Mutect2. Later: an option. */
    private static final int MUTECT2_CORRECTION = 5;
    private static final int MAX_QUALITY = 93;
    private static final int MIN_PLOIDY = 2;

    /** The screen of each engine, empty if it has none. */
    private static final Map<AssemblyRegionEvaluator, Optional<Screen>> KNOWN =
            Collections.synchronizedMap(new WeakHashMap<>());

    private Screens() {}

    /**
     * Returns the screen of an engine, or null if it has none. The first call for an engine logs
     * the option that forbids a screen.
     *
     * @param keepsPileups whether the engine needs the pileup of each position later
     */
    static Screen of(AssemblyRegionEvaluator engine, boolean keepsPileups) {
        Optional<Screen> known = KNOWN.get(engine);
        if (known == null) {
            known = Optional.ofNullable(
                    keepsPileups ? none("pileup detection") : make(engine));
            KNOWN.put(engine, known);
        }
        return known.orElse(null);
    }

    private static Screen make(AssemblyRegionEvaluator engine) {
        switch (engine.getClass().getName()) {
            case "org.broadinstitute.hellbender.tools.walkers.haplotypecaller"
                    + ".HaplotypeCallerEngine":
                return haplotypeCaller(engine);
            case "org.broadinstitute.hellbender.tools.walkers.mutect.Mutect2Engine":
                return mutect2(engine);
            default:
                return null;
        }
    }

    private static Screen haplotypeCaller(AssemblyRegionEvaluator engine) {
        Object arguments = Members.get(engine, "hcArgs");
        Object model = Members.get(engine, "referenceConfidenceModel");
        byte minQuality = (byte) Members.get(arguments, "minBaseQualityScore");
        if (((SampleList) Members.get(engine, "samplesList")).numberOfSamples() != 1) {
            return none("several samples");
        } else if (Members.get(arguments, "alleles") != null) {
            return none("--alleles");
        } else if ((boolean) Members.get(model, "flowBasedModel")) {
            return none("--likelihood-calculation-engine");
        } else if (!((Collection<?>) Members.get(engine, "ploidyRegions", Collections.emptyList()))
                .isEmpty()) {
            return none("--ploidy-regions");
        }
        byte deletionQuality = (byte) Members.get(model, "refModelDeletionQuality");
        if (minQuality < 0) {
            return none("--min-base-quality-score");
        } else if (deletionQuality < 0) {
            return none("--reference-model-deletion-quality");
        }
        HaplotypeCallerScreen screen = new HaplotypeCallerScreen(
                Math.max(MIN_PLOIDY,
                        (int) Members.get(arguments, "standardArgs.genotypeArgs.samplePloidy")),
                minQuality, deletionQuality,
                (double) Members.get(arguments, "activeRegionAltMultiplier", 1.0));
        return minQuality <= MAX_QUALITY && screen.isUseful()
                ? screen : none("--min-base-quality-score");
    }

    @SuppressWarnings("unchecked")
    private static Screen mutect2(AssemblyRegionEvaluator engine) {
        M2ArgumentCollection arguments = (M2ArgumentCollection) Members.get(engine, "MTAC");
        int correction = (int) Members.get(arguments,
                "activeRegionMultipleSubstitutionBaseQualCorrection", MUTECT2_CORRECTION);
        if (Members.get(arguments, "alleles") != null) {
            return none("--alleles");
        } else if (Members.get(arguments, "f1r2TarGz") != null) {
            return none("--f1r2-tar-gz");
        } else if (correction < 0 || correction > Byte.MAX_VALUE) {
            return none("--base-qual-correction-factor");
        }
        return new Mutect2Screen((Set<String>) Members.get(engine, "normalSamples"),
                arguments.getInitialLogOdds(), correction,
                (int) Members.get(engine, "minCallableDepth"),
                (MutableLong) Members.get(engine, "callableSites"));
    }

    private static Screen none(String reason) {
        Part.INSTANCE.fallBack(reason);
        return null;
    }
}
