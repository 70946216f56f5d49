package htsjdk.variant.variantcontext;

/** Part of htsjdk's interface. */
public interface Allele {}
