package htsjdk.samtools.util;

/** A place in a reference. */
public interface Locatable {
    String getContig();

    int getStart();

    int getEnd();

    default boolean overlaps(Locatable other) {
        throw new UnsupportedOperationException();
    }
}
