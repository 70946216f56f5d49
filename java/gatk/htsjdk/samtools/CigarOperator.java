package htsjdk.samtools;

/** Part of htsjdk's enum. */
public enum CigarOperator {
    M, I, D, N, S, H;

    public static native int enumToBinary(CigarOperator operator);

    public native boolean consumesReadBases();

    public native boolean consumesReferenceBases();
}
