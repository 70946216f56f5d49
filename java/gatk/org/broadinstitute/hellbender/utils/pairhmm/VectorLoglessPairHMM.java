package org.broadinstitute.hellbender.utils.pairhmm;

import java.util.List;
import java.util.Map;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class, with a method that the agent adds, and a field that it makes public. */
public final class VectorLoglessPairHMM {
    public Map<Haplotype, Integer> haplotypeToHaplotypeListIdxMap;

    public native void initialize$original(List<Haplotype> haplotypes,
            Map<String, List<GATKRead>> reads, int maxReadLength, int maxHaplotypeLength);
}
