package htsjdk.samtools;

/** Part of htsjdk's class. */
public class QueryInterval {
    public final int referenceIndex;
    public final int start;
    public final int end;

    public QueryInterval(int referenceIndex, int start, int end) {
        this.referenceIndex = referenceIndex;
        this.start = start;
        this.end = end;
    }
}
