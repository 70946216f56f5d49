package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SamFileHeaderMerger {
    public native boolean hasMergedSequenceDictionary();

    public native boolean hasReadGroupCollisions();

    public native boolean hasProgramGroupCollisions();

    public native String getReadGroupId(SAMFileHeader header, String originalReadGroupId);

    public native String getProgramGroupId(SAMFileHeader header, String originalProgramGroupId);
}
