package htsjdk.samtools;

/** htsjdk's class. */
public enum ValidationStringency { STRICT, LENIENT, SILENT }
