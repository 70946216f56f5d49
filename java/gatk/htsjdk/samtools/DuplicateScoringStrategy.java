package htsjdk.samtools;

/** Part of htsjdk's class. */
public class DuplicateScoringStrategy {
    /** Which read or pair of a set is kept. */
    public enum ScoringStrategy { SUM_OF_BASE_QUALITIES, TOTAL_MAPPED_REFERENCE_LENGTH, RANDOM }
}
