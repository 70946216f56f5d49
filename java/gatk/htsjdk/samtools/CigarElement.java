package htsjdk.samtools;

/** Part of htsjdk's class. */
public class CigarElement {
    public native int getLength();

    public native CigarOperator getOperator();
}
