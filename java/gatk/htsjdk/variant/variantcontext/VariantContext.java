package htsjdk.variant.variantcontext;

/** Part of htsjdk's class. */
public class VariantContext {
    public native String getContig();

    public native int getStart();
}
