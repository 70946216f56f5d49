package htsjdk.samtools;

import java.util.List;

/** Part of htsjdk's class. */
public class SAMFileHeader {
    public native SAMSequenceRecord getSequence(String name);

    public native SAMSequenceDictionary getSequenceDictionary();

    public native List<SAMReadGroupRecord> getReadGroups();

    public native SAMSequenceRecord getSequence(int index);

    /** The orders of records. */
    public enum SortOrder { unsorted, queryname, coordinate, duplicate, unknown }

    /** The groups of records. */
    public enum GroupOrder { none, query, reference }

    public native SAMReadGroupRecord getReadGroup(String id);

    public native SortOrder getSortOrder();

    public native void setSortOrder(SortOrder order);

    public native void setGroupOrder(GroupOrder order);

    public native void addComment(String comment);

    @Override
    public native SAMFileHeader clone();
}
