package htsjdk.samtools.util;

/** Part of htsjdk's class. */
public final class Log {
    /** The levels, the most serious one first. */
    public enum LogLevel { ERROR, WARNING, INFO, DEBUG }
}
