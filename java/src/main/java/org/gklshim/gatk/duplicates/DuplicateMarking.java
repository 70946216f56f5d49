package org.gklshim.gatk.duplicates;

import htsjdk.samtools.DuplicateScoringStrategy.ScoringStrategy;
import htsjdk.samtools.util.IOUtil;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.duplicates.finding.FindingPass;
import org.gklshim.gatk.duplicates.writing.MarkingPass;
import picard.sam.markduplicates.MarkDuplicates;

/**
 * MarkDuplicates in threads, on the bytes of BAM records. Like Picard's, it reads the input twice:
 * to find the duplicates, and to mark them. Picard does the runs that this
 * code does not support, and repeats those that fail.
 */
public final class DuplicateMarking {
    private DuplicateMarking() {}

    /** Replaces the method of MarkDuplicates. */
    public static int doWork(MarkDuplicates tool) {
        String reason = unsuitable(tool);
        if (reason == null) {
            try {
                mark(new MarkingRun(tool));
                return 0;
            } catch (UnsuitableException e) {
                reason = e.getMessage();
            } catch (OutputException e) {
                throw e.getCause();
            } catch (IOException | ReflectiveOperationException | RuntimeException
                    | OutOfMemoryError | LinkageError e) {
                // Picard says what is wrong, and leaves what it leaves of its output.
                reason = e.toString();
            }
            reset(tool);
        }
        Part.INSTANCE.fallBack(reason);
        return tool.doWork$original();
    }

    private static void mark(MarkingRun run) throws IOException {
        run.inputs.files.forEach(IOUtil::assertFileIsReadable);
        IOUtil.assertFileIsWritable(run.tool.OUTPUT);
        IOUtil.assertFileIsWritable(run.tool.METRICS_FILE);
        run.logMemory("Start of doWork");
        new MarkingPass(run, FindingPass.find(run)).write();
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
}
