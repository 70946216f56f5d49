package org.broadinstitute.hellbender.utils.genotyper;

import java.util.List;

/** Part of GATK's interface. */
public interface LikelihoodMatrix<EVIDENCE, A> {
    List<A> alleles();

    void set(int alleleIndex, int evidenceIndex, double value);
}
