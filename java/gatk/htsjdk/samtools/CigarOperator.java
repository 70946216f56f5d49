package htsjdk.samtools;

/** Part of htsjdk's enum. */
public enum CigarOperator {
    M, I, D, N, S, H;

    public native boolean consumesReadBases();

    public native boolean consumesReferenceBases();
}
