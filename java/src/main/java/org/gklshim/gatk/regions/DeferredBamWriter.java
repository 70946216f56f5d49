package org.gklshim.gatk.regions;

import htsjdk.samtools.util.Locatable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.haplotype.HaplotypeBAMDestination;
import org.broadinstitute.hellbender.utils.haplotype.HaplotypeBAMWriter;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;

/**
 * An engine's writer of --bam-output that only keeps its calls. GATK's writer numbers the
 * haplotypes of all regions, so it gets the calls in the order of the regions.
 */
final class DeferredBamWriter extends HaplotypeBAMWriter {
    private final HaplotypeBAMWriter writer;
    private List<Runnable> calls = new ArrayList<>();

    DeferredBamWriter(HaplotypeBAMWriter writer) {
        super((WriterType) Members.get(writer, "writerType"),
                (HaplotypeBAMDestination) Members.get(writer, "output"));
        this.writer = writer;
    }

    @Override
    public void writeReadsAlignedToHaplotypes(Collection<Haplotype> haplotypes,
            Locatable paddedReferenceLoc, Collection<Haplotype> bestHaplotypes,
            Set<Haplotype> calledHaplotypes,
            AlleleLikelihoods<GATKRead, Haplotype> readLikelihoods, Locatable callableRegion) {
        calls.add(() -> writer.writeReadsAlignedToHaplotypes(haplotypes, paddedReferenceLoc,
                bestHaplotypes, calledHaplotypes, readLikelihoods, callableRegion));
    }

    /** Returns the calls since the last time, and forgets them. */
    List<Runnable> takeCalls() {
        List<Runnable> taken = calls;
        calls = new ArrayList<>();
        return taken;
    }

    /** Does nothing: GATK's writer is closed by the tool's own engine. */
    @Override
    public void close() {}
}
