package htsjdk.samtools;

/** Part of htsjdk's class. */
public class BAMRecord extends SAMRecord {
    public BAMRecord(SAMFileHeader header) {
        super(header);
    }
}
