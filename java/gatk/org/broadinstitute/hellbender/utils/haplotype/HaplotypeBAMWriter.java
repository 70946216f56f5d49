package org.broadinstitute.hellbender.utils.haplotype;

import htsjdk.samtools.util.Locatable;
import java.util.Collection;
import java.util.Set;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's interface. */
public class HaplotypeBAMWriter implements AutoCloseable {
    /** Part of GATK's interface. */
    public enum WriterType {}

    public HaplotypeBAMWriter(WriterType type, HaplotypeBAMDestination destination) {
        throw new UnsupportedOperationException();
    }

    public void writeReadsAlignedToHaplotypes(Collection<Haplotype> haplotypes,
            Locatable paddedReferenceLoc, Collection<Haplotype> bestHaplotypes,
            Set<Haplotype> calledHaplotypes,
            AlleleLikelihoods<GATKRead, Haplotype> readLikelihoods, Locatable callableRegion) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
