package htsjdk.samtools;

import java.util.List;

/** Part of htsjdk's class. */
public class SAMFileHeader {
    public native SAMSequenceRecord getSequence(String name);

    public native SAMSequenceDictionary getSequenceDictionary();

    public native List<SAMReadGroupRecord> getReadGroups();

    public native SAMSequenceRecord getSequence(int index);
}
