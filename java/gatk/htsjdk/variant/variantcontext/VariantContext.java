package htsjdk.variant.variantcontext;

/** Part of htsjdk's class. */
public class VariantContext {
    public native int getStart();
}
