package htsjdk.samtools.util;

/** A place in a reference. */
public interface Locatable {}
