package org.broadinstitute.gatk.nativebindings.pairhmm;

/** One haplotype of a region. */
public final class HaplotypeDataHolder {
    public byte[] haplotypeBases;
}
