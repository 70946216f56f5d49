package org.broadinstitute.hellbender.utils.genotyper;

/** Part of GATK's interface. */
public interface SampleList {
    int numberOfSamples();
}
