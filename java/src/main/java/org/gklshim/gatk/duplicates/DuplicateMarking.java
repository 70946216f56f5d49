package org.gklshim.gatk.duplicates;

import htsjdk.samtools.DuplicateScoringStrategy.ScoringStrategy;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileHeader.GroupOrder;
import htsjdk.samtools.SAMFileHeader.SortOrder;
import htsjdk.samtools.SAMFileWriter;
import htsjdk.samtools.SAMFileWriterFactory;
import htsjdk.samtools.metrics.MetricsFile;
import htsjdk.samtools.util.IOUtil;
import htsjdk.samtools.util.Log;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.gklshim.NativeLibrary;
import org.gklshim.Setting;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.threads.OrderedTasks;
import org.gklshim.gatk.duplicates.finding.DuplicateSets;
import org.gklshim.gatk.duplicates.finding.CandidateCollector;
import org.gklshim.gatk.duplicates.finding.DuplicateCandidates;
import org.gklshim.gatk.duplicates.finding.ReadEndsReader;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.BamSource;
import org.gklshim.gatk.duplicates.reading.Buffers;
import org.gklshim.gatk.duplicates.reading.Places;
import org.gklshim.gatk.duplicates.reading.Inputs;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
import org.gklshim.gatk.duplicates.reading.RecordSource;
import org.gklshim.gatk.duplicates.reading.ListedTexts;
import org.gklshim.gatk.duplicates.reading.UnusualRecords;
import org.gklshim.gatk.duplicates.writing.MarkedRecordWriter;
import org.gklshim.gatk.duplicates.writing.RecordMarker;
import picard.sam.DuplicationMetrics;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;
import picard.sam.markduplicates.util.AbstractMarkDuplicatesCommandLineProgram;
import picard.sam.markduplicates.util.LibraryIdGenerator;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;

/**
 * MarkDuplicates in threads, on the bytes of BAM records. Like Picard's, it reads the input twice:
 * to find the duplicates, and to mark them.
 */
public final class DuplicateMarking {
    private static final int BATCHES_A_THREAD = 3;
    /** The part of the heap for the ends of reads, until they go to temporary files. */
    private static final int HEAP_PARTS = 4;

    /** Null until the first run asks for it. */
    private static RecordMethods loaded;

    private final MarkDuplicates tool;
    private final Log log = Log.getInstance(MarkDuplicates.class);
    private final MarkingOptions options;
    private final Inputs inputs;
    private final SAMFileHeader header;
    private final Places places;
    private final ReadGroups groups;
    private final UnusualRecords unusual;
    private final LibraryIdGenerator generator;
    private final RecordMethods engine;
    private final int threads =
            Math.min(Setting.USUAL_THREADS, Runtime.getRuntime().availableProcessors());
    private final Buffers inputBuffers = new Buffers(BamSource.BATCH_SIZE);
    private final Buffers outputBuffers = new Buffers(2 * BamSource.BATCH_SIZE);
    private DuplicateSets sets;
    /** Null until the duplicates are found. */
    private MarkedRecordWriter writer;
    /** Whether htsjdk opens the output, or writes the metrics. */
    private boolean isInHtsjdk;

    private DuplicateMarking(MarkDuplicates tool)
            throws IOException, ReflectiveOperationException {
        this.tool = tool;
        engine = engine();
        inputs = new Inputs(tool);
        header = inputs.header;
        SortOrder order = header.getSortOrder();
        if (order != SortOrder.coordinate && order != SortOrder.queryname) {
            throw new UnsuitableException("input that is sorted neither by coordinate nor by name");
        }
        options = new MarkingOptions(tool, order == SortOrder.queryname);
        places = new Places(header);
        groups = new ReadGroups(header);
        unusual = new UnusualRecords(inputs, tool.VALIDATION_STRINGENCY);
        generator = new LibraryIdGenerator(header);
    }

    private static synchronized RecordMethods engine()
            throws IOException, ReflectiveOperationException {
        try {
            if (loaded == null) {
                loaded = start(NativeLibrary.load());
            }
        } catch (UnsatisfiedLinkError | UnsupportedOperationException | IllegalStateException e) {
            throw new UnsuitableException("the native library: " + e.getMessage());
        }
        return loaded;
    }

    /** Returns the engine of a library. A call without records shows whether it has our methods. */
    private static RecordMethods start(NativeLibrary library)
            throws IOException, ReflectiveOperationException {
        RecordMethods engine = (RecordMethods) library.instance(NativeRecords.class.getName());
        try {
            engine.readEnds(new byte[0], new int[1], 0, null, Facts.ofNothing(), new byte[0],
                    new int[ListedTexts.ROW], 0, new int[RecordMethods.STOP], new long[0]);
        } catch (UnsatisfiedLinkError e) {
            throw NativeLibrary.foreign(e);
        }
        return engine;
    }

    /** Replaces the method of MarkDuplicates. */
    public static int doWork(MarkDuplicates tool) {
        String reason = unsuitable(tool);
        if (reason == null) {
            DuplicateMarking marking = null;
            try {
                marking = new DuplicateMarking(tool);
                return marking.run();
            } catch (UnsuitableException e) {
                reason = e.getMessage();
            } catch (IOException | ReflectiveOperationException | RuntimeException
                    | OutOfMemoryError | LinkageError e) {
                if (e instanceof RuntimeException && marking != null
                        && marking.hasFailedToWrite(e)) {
                    throw (RuntimeException) e;
                }
                // Picard says what is wrong, and leaves what it leaves of its output.
                reason = e.toString();
            }
            reset(tool);
        }
        org.gklshim.Log.info("duplicates: Picard's own code is used, because of " + reason);
        return tool.doWork$original();
    }

    /** Returns which option or input is not ours, or null. */
    private static String unsuitable(MarkDuplicates tool) {
        if ((boolean) Members.get(tool, "flowBasedArguments.FLOW_MODE", false)) {
            return "--FLOW_MODE";
        }
        if (tool.OUTPUT.exists() && !tool.OUTPUT.isFile()) {
            // Picard could not write it again after an error.
            return "an output that is no regular file";
        }
        if (tool.TAG_DUPLICATE_SET_MEMBERS) {
            return "--TAG_DUPLICATE_SET_MEMBERS";
        }
        if (tool.DUPLICATE_SCORING_STRATEGY == ScoringStrategy.RANDOM) {
            return "--DUPLICATE_SCORING_STRATEGY RANDOM";
        }
        for (String input : tool.INPUT) {
            if (!new File(input).isFile()) {
                return "input that is not a local file";
            }
            if (isSameFile(new File(input), tool.OUTPUT)) {
                return "an output that is an input";
            }
        }
        return null;
    }

    private static boolean isSameFile(File a, File b) {
        try {
            return b.exists() && Files.isSameFile(a.toPath(), b.toPath());
        } catch (IOException | SecurityException e) {
            return true;
        }
    }

    /** Forgets what a run that Picard repeats has left in the tool. */
    private static void reset(MarkDuplicates tool) {
        Members.replace(tool, "libraryIdGenerator", null);
        ((Set<?>) Members.get(tool, "pgIdsSeen")).clear();
        tool.setupOpticalDuplicateFinder();
    }

    private int run() throws IOException {
        inputs.files.forEach(IOUtil::assertFileIsReadable);
        IOUtil.assertFileIsWritable(tool.OUTPUT);
        IOUtil.assertFileIsWritable(tool.METRICS_FILE);
        logMemory("Start of doWork");
        findDuplicates();
        markDuplicates();
        return 0;
    }

    private void findDuplicates() throws IOException {
        log.info("Reading input file and constructing read end information.");
        Members.replace(tool, "libraryIdGenerator", generator);
        try (DuplicateCandidates store = new DuplicateCandidates(
                Runtime.getRuntime().maxMemory() / HEAP_PARTS, tool.TMP_DIR.get(0), options.hasBarcodes)) {
            CandidateCollector collector = new CandidateCollector(tool, options, inputs, groups,
                    places, store, unusual, generator, log);
            org.gklshim.Log.info("duplicates: " + threads
                    + (threads == 1 ? " thread" : " threads"));
            long[] facts = Facts.forFinding(options, places, groups);
            read(() -> new ReadEndsReader(engine, facts,
                            new ListedTexts(inputs, groups, places, null))::read,
                    ends -> {
                        collector.add(ends);
                        inputBuffers.giveBack(ends.records.bytes);
                    }, collector::isComplete);
            log.info("Read " + collector.count() + " records. " + collector.unmatched()
                    + " pairs never matched.");
            logMemory("After buildSortedReadEndLists");
            OpticalDuplicateFinder finder = tool.READ_NAME_REGEX == null ? null
                    : (OpticalDuplicateFinder) Members.get(tool, "opticalDuplicateFinder");
            sets = new DuplicateSets(generator, finder, tool.REMOVE_SEQUENCING_DUPLICATES
                    || tool.TAGGING_POLICY != DuplicateTaggingPolicy.DontTag);
            log.info("Traversing read pair information and detecting duplicates.");
            sets.markPairs(store);
            log.info("Traversing fragment information and detecting duplicates.");
            sets.markUnpaired(store);
        }
        logMemory("After generateDuplicateIndexes");
    }

    @SuppressWarnings("unchecked")
    private void markDuplicates() throws IOException {
        log.info("Marking " + sets.duplicates.count() + " records as duplicates.");
        if (tool.READ_NAME_REGEX == null) {
            log.warn("Skipped optical duplicate cluster discovery; library size estimation may be "
                    + "inaccurate!");
        } else {
            log.info("Found " + generator.getNumberOfOpticalDuplicateClusters()
                    + " optical duplicate clusters.");
        }
        SAMFileHeader outputHeader = header.clone();
        log.info("Reads are assumed to be ordered by: " + header.getSortOrder());
        if (tool.ASSUME_SORT_ORDER == SortOrder.queryname) {
            outputHeader.setGroupOrder(GroupOrder.query);
            outputHeader.setSortOrder(SortOrder.unknown);
            log.info("Output will not be re-sorted. Output header will state SO:unknown GO:query");
        }
        tool.COMMENT.forEach(outputHeader::addComment);
        Map<String, String> chained =
                (Map<String, String>) Members.call(tool, "getChainedPgIds", outputHeader);
        boolean setsProgram = chained != null
                && (boolean) Members.get(tool, "pgTagArgumentCollection.ADD_PG_TAG_TO_READS");
        Map<String, String> programs = setsProgram ? chained : null;
        // A thread of the writer's own would have to be woken for each record.
        isInHtsjdk = true;
        SAMFileWriterFactory factory = new SAMFileWriterFactory();
        // With such a thread, Picard leaves a file incomplete that cannot be written.
        boolean isAsync = (boolean) Members.get(factory, "useAsyncIo");
        SAMFileWriter file = factory.setUseAsyncIo(false)
                .makeWriter(outputHeader, true, tool.OUTPUT,
                (File) Members.get(tool, "REFERENCE_SEQUENCE"));
        isInHtsjdk = false;
        writer = new MarkedRecordWriter(tool, sets, groups, header, places, unusual, generator,
                programs, file, inputBuffers, outputBuffers, log);
        try {
            long[] facts = Facts.forMarking(tool, setsProgram, inputs, options, places, groups);
            read(() -> new RecordMarker(engine, facts, sets, groups, places, outputHeader,
                            new ListedTexts(inputs, groups, places, programs),
                            writer.needsObjects(), outputBuffers)::mark,
                    writer::write, () -> false);
        } catch (RuntimeException e) {
            if (hasFailedToWrite(e) && !isAsync) {
                closeAfter(e);
            }
            // Picard makes the file again after any other failure.
            throw e;
        }
        log.info("Writing complete. Closing input iterator.");
        logMemory("Before output close");
        writer.close();
        log.info("Closed outputs. Getting more Memory Stats.");
        logMemory("After output close");
        MetricsFile<DuplicationMetrics, Double> metrics =
                (MetricsFile<DuplicationMetrics, Double>) Members.call(tool, "getMetricsFile");
        isInHtsjdk = true;
        AbstractMarkDuplicatesCommandLineProgram.finalizeAndWriteMetrics(generator, metrics,
                tool.METRICS_FILE);
    }

    /** Closes the output, as Picard does after an exception. */
    private void closeAfter(RuntimeException failure) {
        try {
            writer.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Returns whether an exception is that of Picard's own run: htsjdk could not write a file. */
    private boolean hasFailedToWrite(Throwable failure) {
        return isInHtsjdk || writer != null && writer.failure() == failure;
    }

    /** Logs what Picard logs, but does not collect garbage before, which would stop all threads. */
    private void logMemory(String stage) {
        Runtime runtime = Runtime.getRuntime();
        log.info(stage + " freeMemory: " + runtime.freeMemory() + "; totalMemory: "
                + runtime.totalMemory() + "; maxMemory: " + runtime.maxMemory());
    }

    /**
     * Reads the input, and has threads work on batches of records.
     *
     * @param functions makes the function of each thread
     * @param sink gets the results in the order of the file, one at a time
     * @param isDone tells whether the rest of the file is not needed
     */
    private <R> void read(Supplier<Function<BamRecords, R>> functions, Consumer<R> sink,
            BooleanSupplier isDone) throws IOException {
        List<Function<BamRecords, R>> made = new ArrayList<>();
        for (int k = 0; k < threads; k++) {
            made.add(functions.get());
        }
        int batches = BATCHES_A_THREAD * threads;
        OrderedTasks<BamRecords, R> tasks =
                new OrderedTasks<>(made, sink, batches, batches, batches);
        try (RecordSource source =
                new RecordSource(inputs.files, options.isGrouped, inputBuffers)) {
            for (BamRecords records; !isDone.getAsBoolean()
                    && (records = source.next()) != null;) {
                tasks.submit(records, 1);
            }
            tasks.awaitAll();
        } finally {
            tasks.close();
        }
    }
}
