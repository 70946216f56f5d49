package htsjdk.samtools;

import java.util.List;

/** Part of htsjdk's class. */
public class SAMRecord {
    public SAMRecord(SAMFileHeader header) {}

    public native int getReadNameLength();

    public native int getReadLength();

    public native int getCigarLength();

    public native Cigar getCigar();

    public native byte[] getReadBases();

    public native byte[] getBaseQualities();

    public native int getFlags();

    public native int getMappingQuality();

    public native Integer getReferenceIndex();

    public native Integer getMateReferenceIndex();

    public native String getReferenceName();

    public native int getAlignmentStart();

    public native int getMateAlignmentStart();

    public native int getInferredInsertSize();

    public native String getStringAttribute(String tag);

    public native SAMFileHeader getHeader();

    public native ValidationStringency getValidationStringency();

    public native void setValidationStringency(ValidationStringency stringency);

    public native byte[] getVariableBinaryRepresentation();

    public native int getAlignmentEnd();

    public native boolean getReadUnmappedFlag();

    public native SAMFileSource getFileSource();

    public native void setFileSource(SAMFileSource source);

    public native void setHeader(SAMFileHeader header);

    public native String getReadName();

    public native boolean getReadPairedFlag();

    public native boolean getMateUnmappedFlag();

    public native boolean getFirstOfPairFlag();

    public native boolean getReadNegativeStrandFlag();

    public native boolean isSecondaryOrSupplementary();

    public native void setDuplicateReadFlag(boolean flag);

    public native SAMReadGroupRecord getReadGroup();

    public native void setReferenceIndex(int index);

    public native void setAlignmentStart(int start);

    public native void setAttribute(String tag, Object value);

    public native List<SAMValidationError> isValid(boolean firstOnly);
}
