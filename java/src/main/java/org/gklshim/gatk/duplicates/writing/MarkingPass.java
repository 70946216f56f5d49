package org.gklshim.gatk.duplicates.writing;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileHeader.GroupOrder;
import htsjdk.samtools.SAMFileHeader.SortOrder;
import htsjdk.samtools.SAMFileWriter;
import htsjdk.samtools.SAMFileWriterFactory;
import htsjdk.samtools.metrics.MetricsFile;
import java.io.File;
import java.io.IOException;
import java.util.Map;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.duplicates.MarkingRun;
import org.gklshim.gatk.duplicates.NativeRun;
import org.gklshim.gatk.duplicates.OutputException;
import org.gklshim.gatk.duplicates.finding.DuplicateSets;
import org.gklshim.gatk.records.BamReader;
import org.gklshim.gatk.records.Buffers;
import picard.sam.DuplicationMetrics;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.util.AbstractMarkDuplicatesCommandLineProgram;

/** The second pass over the input, which writes the marked records and the metrics. */
public final class MarkingPass {
    private final MarkingRun run;
    private final MarkDuplicates tool;
    private final DuplicateSets sets;

    /** Makes the pass that marks the duplicates of these sets. */
    public MarkingPass(MarkingRun run, DuplicateSets sets) {
        this.run = run;
        this.sets = sets;
        tool = run.tool;
    }

    /**
     * Writes all files.
     *
     * @throws OutputException if htsjdk cannot
     */
    @SuppressWarnings("unchecked")
    public void write() throws IOException {
        logDuplicates();
        SAMFileHeader header = outputHeader();
        Map<String, String> programs =
                (Map<String, String>) Members.call(tool, "getChainedPgIds", header);
        if (!(boolean) Members.get(tool, "pgTagArgumentCollection.ADD_PG_TAG_TO_READS")) {
            programs = null;
        }
        writeRecords(header, programs);
        MetricsFile<DuplicationMetrics, Double> metrics =
                (MetricsFile<DuplicationMetrics, Double>) Members.call(tool, "getMetricsFile");
        OutputException.guard(() ->
                AbstractMarkDuplicatesCommandLineProgram.finalizeAndWriteMetrics(run.generator,
                        metrics, tool.METRICS_FILE));
    }

    private void logDuplicates() {
        run.log.info("Marking " + sets.count() + " records as duplicates.");
        if (tool.READ_NAME_REGEX == null) {
            run.log.warn("Skipped optical duplicate cluster discovery; library size estimation "
                    + "may be inaccurate!");
        } else {
            run.log.info("Found " + run.generator.getNumberOfOpticalDuplicateClusters()
                    + " optical duplicate clusters.");
        }
    }

    private SAMFileHeader outputHeader() {
        SAMFileHeader header = run.header.clone();
        run.log.info("Reads are assumed to be ordered by: " + header.getSortOrder());
        if (tool.ASSUME_SORT_ORDER == SortOrder.queryname) {
            header.setGroupOrder(GroupOrder.query);
            header.setSortOrder(SortOrder.unknown);
            run.log.info(
                    "Output will not be re-sorted. Output header will state SO:unknown GO:query");
        }
        tool.COMMENT.forEach(header::addComment);
        return header;
    }

    /** @param programs the new values of the tag PG by the old ones, or null if it stays */
    private void writeRecords(SAMFileHeader header, Map<String, String> programs)
            throws IOException {
        SAMFileWriterFactory factory = new SAMFileWriterFactory();
        // With a thread of the writer's own, Picard leaves a file incomplete that cannot be
        // written. It would have to be woken for each record.
        boolean isAsync = (boolean) Members.get(factory, "useAsyncIo");
        SAMFileWriter file = OutputException.guard(() -> factory.setUseAsyncIo(false).makeWriter(
                header, true, tool.OUTPUT, (File) Members.get(tool, "REFERENCE_SEQUENCE")));
        Buffers outputBuffers = new Buffers(2 * BamReader.BATCH_SIZE);
        MarkedRecordWriter writer = new MarkedRecordWriter(run, programs, file, outputBuffers);
        try (NativeRun pass = NativeRun.forMarking(run, programs)) {
            SAMFileHeader ofObjects = writer.needsObjects() ? header : null;
            run.read(() -> new RecordMarker(run, pass, sets, ofObjects, outputBuffers)::mark,
                    writer::write, () -> false);
        } catch (OutputException e) {
            if (!isAsync) {
                closeAfter(e, writer);
            }
            throw e;
        }
        run.log.info("Writing complete. Closing input iterator.");
        run.logMemory("Before output close");
        writer.close();
        run.log.info("Closed outputs. Getting more Memory Stats.");
        run.logMemory("After output close");
    }

    /** Closes the output, as Picard does after an exception. */
    private static void closeAfter(OutputException failure, MarkedRecordWriter writer) {
        try {
            writer.close();
        } catch (OutputException e) {
            failure.getCause().addSuppressed(e.getCause());
        }
    }
}
