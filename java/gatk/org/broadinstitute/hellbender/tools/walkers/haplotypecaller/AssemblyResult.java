package org.broadinstitute.hellbender.tools.walkers.haplotypecaller;

import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.graphs.SeqGraph;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.readthreading.AbstractReadThreadingGraph;

/** Part of GATK's class. */
public final class AssemblyResult {
    public AssemblyResult(Status status, SeqGraph graph,
            AbstractReadThreadingGraph threadingGraph) {}

    /** Part of GATK's enum. */
    public enum Status { FAILED, JUST_ASSEMBLED_REFERENCE, ASSEMBLED_SOME_VARIATION }
}
