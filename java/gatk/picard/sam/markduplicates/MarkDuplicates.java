package picard.sam.markduplicates;

import htsjdk.samtools.DuplicateScoringStrategy.ScoringStrategy;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.ValidationStringency;
import java.io.File;
import java.util.List;

/** Part of Picard's class, with what it inherits. */
public class MarkDuplicates {
    public List<String> INPUT;
    public File OUTPUT;
    public File METRICS_FILE;
    public boolean REMOVE_DUPLICATES;
    public boolean REMOVE_SEQUENCING_DUPLICATES;
    public boolean TAG_DUPLICATE_SET_MEMBERS;
    public boolean CLEAR_DT;
    public DuplicateTaggingPolicy TAGGING_POLICY;
    public SAMFileHeader.SortOrder ASSUME_SORT_ORDER;
    public ScoringStrategy DUPLICATE_SCORING_STRATEGY;
    public String PROGRAM_RECORD_ID;
    public List<String> COMMENT;
    public String READ_NAME_REGEX;
    public String BARCODE_TAG;
    public String READ_ONE_BARCODE_TAG;
    public String READ_TWO_BARCODE_TAG;
    public int MAX_FILE_HANDLES_FOR_READ_ENDS_MAP;
    public List<File> TMP_DIR;
    public ValidationStringency VALIDATION_STRINGENCY;

    /** Which duplicates get the tag DT. */
    public enum DuplicateTaggingPolicy { DontTag, OpticalOnly, All }

    public native void setupOpticalDuplicateFinder();

    public native int doWork$original();
}
