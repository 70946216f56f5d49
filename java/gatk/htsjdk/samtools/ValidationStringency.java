package htsjdk.samtools;

/** Part of htsjdk's enum. */
public enum ValidationStringency { STRICT, LENIENT, SILENT }
