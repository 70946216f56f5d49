package htsjdk.samtools.util;

/** Part of htsjdk's class. */
public final class Log {
    /** The levels, the most serious one first. */
    public enum LogLevel { ERROR, WARNING, INFO, DEBUG }

    public static native Log getInstance(Class<?> type);

    public native void info(Object... parts);

    public native void warn(Object... parts);
}
