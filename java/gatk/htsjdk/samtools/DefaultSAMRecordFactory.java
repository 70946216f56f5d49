package htsjdk.samtools;

/** Part of htsjdk's class. */
public class DefaultSAMRecordFactory {
    public native BAMRecord createBAMRecord(SAMFileHeader header, int contig, int start,
            short nameLength, short mappingQuality, int bin, int cigarLength, int flags,
            int length, int mateContig, int mateStart, int insertSize, byte[] rest);
}
