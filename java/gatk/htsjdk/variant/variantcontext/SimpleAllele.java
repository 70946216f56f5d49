package htsjdk.variant.variantcontext;

/** Part of htsjdk's class. */
public class SimpleAllele {
    public native byte[] getBases();

    public native int length();
}
