package picard.sam.markduplicates.util;

import picard.sam.util.PhysicalLocation;

/** Part of Picard's class. */
public abstract class ReadEnds implements PhysicalLocation {
    public short libraryId;
    public byte orientation;
    public int read1ReferenceIndex;
    public int read1Coordinate;
    public int read2ReferenceIndex;
    public int read2Coordinate;
    public short readGroup;
    public byte orientationForOpticalDuplicates;
    public boolean isOpticalDuplicate;

    public native short getTile();

    public native void setTile(short tile);

    public native int getX();

    public native void setX(int x);

    public native int getY();

    public native void setY(int y);
}
