package picard.sam.markduplicates.util;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.metrics.MetricsFile;
import htsjdk.samtools.util.CloseableIterator;
import java.io.File;
import java.util.List;
import picard.sam.DuplicationMetrics;

/** Part of Picard's class. */
public abstract class AbstractMarkDuplicatesCommandLineProgram {
    /** Part of Picard's class. */
    public static final class SamHeaderAndIterator {
        public final SAMFileHeader header = null;
        public final CloseableIterator<SAMRecord> iterator = null;
    }

    public static native void finalizeAndWriteMetrics(LibraryIdGenerator generator,
            MetricsFile<DuplicationMetrics, Double> metrics, File file);

    public static native void trackOpticalDuplicates(List<? extends ReadEnds> ends, ReadEnds keeper,
            OpticalDuplicateFinder finder, LibraryIdGenerator generator);
}
