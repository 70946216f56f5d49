package htsjdk.samtools;

/** Part of htsjdk's class. */
public class DefaultSAMRecordFactory {
    public native BAMRecord createBAMRecord(SAMFileHeader header, int referenceSequenceIndex,
            int alignmentStart, short readNameLength, short mappingQuality, int indexingBin,
            int cigarLen, int flags, int readLen, int mateReferenceSequenceIndex,
            int mateAlignmentStart, int insertSize, byte[] variableLengthBlock);
}
