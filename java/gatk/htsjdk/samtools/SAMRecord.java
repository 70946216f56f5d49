package htsjdk.samtools;

import java.util.List;

/** Part of htsjdk's class. */
public class SAMRecord {
    public SAMRecord(SAMFileHeader header) {}

    public native void setHeader(SAMFileHeader header);

    public native String getReadName();

    public native Cigar getCigar();

    public native Integer getReferenceIndex();

    public native String getReferenceName();

    public native int getAlignmentStart();

    public native boolean getReadPairedFlag();

    public native boolean getReadUnmappedFlag();

    public native boolean getMateUnmappedFlag();

    public native boolean getFirstOfPairFlag();

    public native boolean getReadNegativeStrandFlag();

    public native boolean isSecondaryOrSupplementary();

    public native void setDuplicateReadFlag(boolean flag);

    public native SAMReadGroupRecord getReadGroup();

    public native String getStringAttribute(String tag);

    public native void setAttribute(String tag, Object value);

    public native void setValidationStringency(ValidationStringency stringency);

    public native List<SAMValidationError> isValid(boolean firstOnly);
}
