package org.gklshim.gatk.duplicates;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileHeader.SortOrder;
import htsjdk.samtools.util.Log;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.Inputs;
import org.gklshim.gatk.duplicates.reading.Places;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
import org.gklshim.gatk.duplicates.reading.RecordSource;
import org.gklshim.gatk.duplicates.reading.UnusualRecords;
import org.gklshim.gatk.records.BamReader;
import org.gklshim.gatk.records.Buffers;
import org.gklshim.gatk.threads.OrderedTasks;
import org.gklshim.gatk.threads.Threads;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.util.LibraryIdGenerator;

/** What the two passes of a run share: the tool and its input, and the threads that read it. */
public final class MarkingRun {
    private static final int BATCHES_A_THREAD = 3;

    public final MarkDuplicates tool;
    public final Log log = Log.getInstance(MarkDuplicates.class);
    public final MarkingOptions options;
    public final Inputs inputs;
    /** The header of all records. */
    public final SAMFileHeader header;
    public final Places places;
    public final ReadGroups groups;
    public final UnusualRecords unusual;
    public final LibraryIdGenerator generator;
    public final int threads = Threads.count();
    public final Buffers inputBuffers = new Buffers(BamReader.BATCH_SIZE);
    final RecordMethods methods;

    /**
     * Reads the headers of the input.
     *
     * @throws UnsuitableException if the input or an option is left to Picard
     */
    MarkingRun(MarkDuplicates tool) throws IOException, ReflectiveOperationException {
        this.tool = tool;
        methods = NativeRun.methods();
        inputs = new Inputs(tool);
        header = inputs.header;
        SortOrder order = header.getSortOrder();
        if (order != SortOrder.coordinate && order != SortOrder.queryname) {
            throw new UnsuitableException(
                    "input that is sorted neither by coordinate nor by name");
        }
        options = new MarkingOptions(tool, order == SortOrder.queryname);
        places = new Places(header);
        groups = new ReadGroups(header);
        unusual = new UnusualRecords(inputs, tool.VALIDATION_STRINGENCY);
        generator = new LibraryIdGenerator(header);
    }

    /**
     * Reads the input, and has threads work on batches of records.
     *
     * @param functions makes the function of each thread
     * @param sink gets the results in the order of the file, one at a time
     * @param isDone tells whether the rest of the file is not needed
     */
    public <R> void read(Supplier<Function<BamRecords, R>> functions, Consumer<R> sink,
            BooleanSupplier isDone) throws IOException {
        int batches = BATCHES_A_THREAD * threads;
        OrderedTasks<BamRecords, R> tasks = new OrderedTasks<>(
                "duplicates", threads, k -> functions.get(), sink, batches, batches);
        try (RecordSource source = new RecordSource(inputs, options.isGrouped, inputBuffers)) {
            for (BamRecords records; !isDone.getAsBoolean()
                    && (records = source.next()) != null;) {
                tasks.submit(records, 1);
            }
            tasks.awaitAll();
        } finally {
            tasks.close();
        }
    }

    /** Returns the hash of the key that mates have in common. */
    public int keyHash(byte[] key) {
        return methods.keyHash(key);
    }

    /** Logs what Picard logs, but does not collect garbage before, which would stop all threads. */
    public void logMemory(String stage) {
        Runtime runtime = Runtime.getRuntime();
        log.info(stage + " freeMemory: " + runtime.freeMemory() + "; totalMemory: "
                + runtime.totalMemory() + "; maxMemory: " + runtime.maxMemory());
    }
}
