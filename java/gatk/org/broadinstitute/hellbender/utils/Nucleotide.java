package org.broadinstitute.hellbender.utils;

/** Part of GATK's enumeration. */
public enum Nucleotide {
    A;

    public static native boolean intersect(byte first, byte second);
}
