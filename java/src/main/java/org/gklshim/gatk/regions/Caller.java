package org.gklshim.gatk.regions;

import htsjdk.samtools.util.Locatable;
import java.util.Optional;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.engine.FeatureInput;
import org.broadinstitute.hellbender.utils.haplotype.HaplotypeBAMWriter;
import org.gklshim.gatk.Members;

/** A tool whose regions threads can call: its engines, and what its regions share. */
abstract class Caller {
    final AssemblyRegionWalker walker;
    final Arguments arguments;
    /** GATK's engine that the tool has. */
    final Object toolsEngine;
    final EngineFactory engines;
    /** The writer of --bam-output, which all engines share. */
    private final Optional<HaplotypeBAMWriter> bamWriter;
    private final boolean hasQualByDepth;

    /**
     * Describes a tool that is about to traverse.
     *
     * @param arguments the name of the field with its arguments
     * @param engine the name of the field with its engine
     */
    Caller(AssemblyRegionWalker walker, String arguments, String engine) {
        this.walker = walker;
        this.arguments = new Arguments(Members.get(walker, arguments));
        toolsEngine = Members.get(walker, engine);
        engines = new EngineFactory(walker, this.arguments, toolsEngine);
        bamWriter = Engine.bamWriter(toolsEngine);
        hasQualByDepth = Engine.annotations(toolsEngine).stream().anyMatch(
                annotation -> annotation.getClass().getSimpleName().endsWith("QualByDepth"));
    }

    /** Returns the tool, or null if it is one whose regions only one thread can call. */
    static Caller of(AssemblyRegionWalker walker) {
        switch (walker.getClass().getName()) {
            case "org.broadinstitute.hellbender.tools.walkers.haplotypecaller.HaplotypeCaller":
                return new HaplotypeCallerRegions(walker);
            case "org.broadinstitute.hellbender.tools.walkers.mutect.Mutect2":
                return new Mutect2Regions(walker);
            default:
                return null;
        }
    }

    /** Returns what makes this run serial, for the log, or null. */
    String serialReason() {
        return SerialReason.of(walker, arguments, toolsEngine);
    }

    /** Returns how many threads the user gives to GATK, or 0 if the option is not given. */
    final int givenThreads() {
        Object option = Members.call(walker.getCommandLineParser(),
                "getNamedArgumentDefinitionByAlias", "native-pair-hmm-threads");
        return (boolean) Members.call(option, "getHasBeenSet")
                ? (int) arguments.get("likelihoodArgs.pairHMMNativeArgs.pairHmmNativeThreads") : 0;
    }

    /** Returns whether calling a region has no result and changes nothing. */
    abstract boolean isSkipped(AssemblyRegion region);

    /** Returns the features for which GATK also asks in a region that is skipped, or null. */
    FeatureInput<?> skippedInput() {
        return null;
    }

    /**
     * Does what a call of a region does to reads that other regions share, in the order of regions.
     * Returns the region for a thread to call, which must be called before the traversal goes on if
     * {@link #mustFinish} says so.
     */
    abstract AssemblyRegion forThread(AssemblyRegion region);

    /** Returns whether a region must be called before the traversal goes on. */
    boolean mustFinish(AssemblyRegion region) {
        return false;
    }

    /**
     * Returns whether calling a region may draw from the generator from which the downsampler
     * draws. Of all that is called for a region, only QualByDepth and AS_QualByDepth do that.
     */
    final boolean mayDraw(AssemblyRegion region) {
        return hasQualByDepth && region.isActive();
    }

    /** Called with each region, in order, after it and all earlier ones were called. */
    void finish(Locatable span) {}

    /** Returns the tool's own engine. */
    abstract Engine main();

    /**
     * Returns another engine, with the tool's arguments.
     *
     * @param reference what the engine should read, if GATK lets it
     */
    abstract Engine another(SharedReference reference);

    /** Returns an engine of GATK as a thread calls it. */
    final Engine engine(Object gatks, Engine.RegionCall call) {
        return new Engine(gatks, call, bamWriter);
    }

    /** Gives the tool's own engine back what it had. */
    final void restore() {
        Engine.setBamWriter(toolsEngine, bamWriter);
    }
}
