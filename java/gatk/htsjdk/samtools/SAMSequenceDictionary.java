package htsjdk.samtools;

import java.util.List;

/** Part of htsjdk's class. */
public class SAMSequenceDictionary {
    public native SAMSequenceRecord getSequence(String name);

    public native List<SAMSequenceRecord> getSequences();

    public native int getSequenceIndex(String name);
}
