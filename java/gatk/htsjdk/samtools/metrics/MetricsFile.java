package htsjdk.samtools.metrics;

/** Part of htsjdk's class. */
public class MetricsFile<B, H> {}
