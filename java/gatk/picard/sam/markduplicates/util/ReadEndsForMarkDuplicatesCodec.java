package picard.sam.markduplicates.util;

/** Picard's class. */
public class ReadEndsForMarkDuplicatesCodec {}
