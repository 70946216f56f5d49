package org.broadinstitute.hellbender.tools.walkers.genotyper;

/** Part of GATK's interface. */
public interface PloidyModel {
    int samplePloidy(int sampleIndex);
}
