package htsjdk.variant.variantcontext.writer;

import htsjdk.variant.variantcontext.VariantContext;

/** Part of htsjdk's interface. */
public interface VariantContextWriter {
    void add(VariantContext variant);
}
