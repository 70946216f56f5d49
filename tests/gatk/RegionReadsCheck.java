package org.gklshim.gatk.assembly;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.reference.ReferenceSequenceFile;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.logging.log4j.Logger;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.tools.FlowBasedArgumentCollection;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyBasedCallerArgumentCollection;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyBasedCallerUtils;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyResultSet;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.readthreading.ReadThreadingAssembler;
import org.broadinstitute.hellbender.utils.genotyper.SampleList;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.smithwaterman.SmithWatermanAligner;

/**
 * Compares a region's reads with those that GATK's method leaves, and counts what uses the reads for
 * pileup detection. Prints what it has found at the end.
 */
public final class RegionReadsCheck {
    private static int regions;
    private static int reads;
    private static int different;
    private static int used;
    private static int missing;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(
                "reads: " + regions + " regions, " + reads + " reads, " + different
                        + " different, used " + used + ", missing " + missing)));
    }

    private RegionReadsCheck() {}

    /** Is called in place of GATK's method. */
    public static AssemblyResultSet assembleReads(AssemblyRegion region,
            AssemblyBasedCallerArgumentCollection settings, SAMFileHeader header,
            SampleList samples, Logger logger, ReferenceSequenceFile reference,
            ReadThreadingAssembler assembler, SmithWatermanAligner aligner,
            boolean correctsOverlaps, FlowBasedArgumentCollection flow, boolean bypassesAssembly)
            throws ReflectiveOperationException {
        AssemblyRegion copy = new AssemblyRegion(
                region.getSpan(), region.getPaddedSpan(), region.isActive(), header);
        copy.addAll(region.getReads());
        original(AssemblyBasedCallerUtils.class, "finalizeRegion").invoke(null, copy,
                settings.assemblerArgs.errorCorrectReads, settings.dontUseSoftClippedBases,
                (byte) (settings.minBaseQualityScore - 1), header, samples, correctsOverlaps,
                settings.softClipLowQualityEnds, settings.overrideSoftclipFragmentCheck, true);
        Object result = original(AssemblyBasedCallerUtils.class, "assembleReads").invoke(null,
                region, settings, header, samples, logger, reference, assembler, aligner,
                correctsOverlaps, flow, bypassesAssembly);
        synchronized (RegionReadsCheck.class) {
            regions++;
            reads += region.size();
            different += text(region.getReads(), header).equals(text(copy.getReads(), header))
                    ? 0 : 1;
        }
        return (AssemblyResultSet) result;
    }

    /** Is called in place of GATK's method. */
    @SuppressWarnings("unchecked")
    public static List<GATKRead> getHardClippedPileupReads(AssemblyRegion region)
            throws ReflectiveOperationException {
        List<GATKRead> found = (List<GATKRead>)
                original(AssemblyRegion.class, "getHardClippedPileupReads").invoke(region);
        synchronized (RegionReadsCheck.class) {
            used++;
            missing += found.isEmpty() ? 1 : 0;
        }
        return found;
    }

    private static String text(List<GATKRead> reads, SAMFileHeader header) {
        StringBuilder text = new StringBuilder();
        for (GATKRead read : reads) {
            text.append(read.convertToSAMRecord(header).getSAMString());
        }
        return text.toString();
    }

    private static Method original(Class<?> type, String name) throws NoSuchMethodException {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name + "$original")) {
                return method;
            }
        }
        throw new NoSuchMethodException(type + " has no original " + name);
    }
}
