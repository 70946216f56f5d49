package org.broadinstitute.gatk.nativebindings.pdhmm;

/** One partially determined haplotype of a region: letters, and flags for each. */
public final class HaplotypeDataHolder {
    public byte[] haplotypeBases;
    public byte[] haplotypePDBases;
}
