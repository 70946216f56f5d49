package org.gklshim.gatk.duplicates.finding;

import java.io.IOException;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.duplicates.MarkingRun;
import org.gklshim.gatk.duplicates.Part;
import org.gklshim.gatk.duplicates.NativeRun;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;

/** The first pass over the input, which finds the duplicates. */
public final class FindingPass {
    /** The part of the heap for the ends of reads, until they go to temporary files. */
    private static final int HEAP_PARTS = 4;

    private FindingPass() {}

    /** Returns the duplicates, by the places in the file of their reads. */
    public static DuplicateSets find(MarkingRun run) throws IOException {
        MarkDuplicates tool = run.tool;
        run.log.info("Reading input file and constructing read end information.");
        Members.replace(tool, "libraryIdGenerator", run.generator);
        OpticalDuplicateFinder finder = tool.READ_NAME_REGEX == null ? null
                : (OpticalDuplicateFinder) Members.get(tool, "opticalDuplicateFinder");
        DuplicateSets sets = new DuplicateSets(run.generator, finder,
                tool.REMOVE_SEQUENCING_DUPLICATES
                || tool.TAGGING_POLICY != DuplicateTaggingPolicy.DontTag);
        try (DuplicateCandidates candidates = new DuplicateCandidates(
                Runtime.getRuntime().maxMemory() / HEAP_PARTS, tool.TMP_DIR.get(0),
                run.options.hasBarcodes)) {
            collect(run, candidates);
            run.logMemory("After buildSortedReadEndLists");
            run.log.info("Traversing read pair information and detecting duplicates.");
            sets.markPairs(candidates);
            run.log.info("Traversing fragment information and detecting duplicates.");
            sets.markUnpaired(candidates);
        }
        run.logMemory("After generateDuplicateIndexes");
        return sets;
    }

    private static void collect(MarkingRun run, DuplicateCandidates candidates)
            throws IOException {
        CandidateCollector collector = new CandidateCollector(run, candidates);
        Part.INSTANCE.info(run.threads + (run.threads == 1 ? " thread" : " threads"));
        try (NativeRun pass = NativeRun.forFinding(run)) {
            run.read(() -> records -> new BatchRows(pass, run.inputs, records), rows -> {
                collector.add(rows);
                run.inputBuffers.giveBack(rows.records.bytes);
            }, collector::isComplete);
        }
        run.log.info("Read " + collector.count() + " records. " + collector.unmatched()
                + " pairs never matched.");
    }
}
