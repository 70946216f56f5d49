package htsjdk.samtools;

/** Part of htsjdk's enum. */
public enum CigarOperator { M, D }
