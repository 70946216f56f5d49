package picard.sam;

/** Part of Picard's class. */
public class DuplicationMetrics {
    public String LIBRARY;
    public long UNPAIRED_READS_EXAMINED;
    public long READ_PAIRS_EXAMINED;
    public long SECONDARY_OR_SUPPLEMENTARY_RDS;
    public long UNMAPPED_READS;
    public long UNPAIRED_READ_DUPLICATES;
    public long READ_PAIR_DUPLICATES;
}
