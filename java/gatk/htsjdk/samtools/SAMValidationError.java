package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMValidationError {}
