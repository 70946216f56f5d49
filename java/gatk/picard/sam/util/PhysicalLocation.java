package picard.sam.util;

/** Picard's interface. */
public interface PhysicalLocation {}
