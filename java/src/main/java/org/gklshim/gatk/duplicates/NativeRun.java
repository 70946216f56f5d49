package org.gklshim.gatk.duplicates;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.gklshim.NativeLibrary;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.ListedTexts;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;

/** A pass over the input in native code, which knows the options, the sequences and the texts. */
public final class NativeRun implements Closeable {
    private static final int SCORES_QUALITIES = 1;
    private static final int READS_NAMES = 1 << 1;
    private static final int PAIRS_IN_GROUPS = 1 << 2;
    private static final int IS_DUPLEX = 1 << 3;
    private static final int REMOVES = 1 << 4;
    private static final int REMOVES_OPTICAL = 1 << 5;
    private static final int TAGS = 1 << 6;
    private static final int TAGS_ALL = 1 << 7;
    private static final int CLEARS_TYPE = 1 << 8;
    private static final int SETS_PROGRAM = 1 << 9;
    private static final int RENAMES_GROUPS = 1 << 10;
    private static final int RENAMES_PROGRAMS = 1 << 11;

    /** Null until the first run asks for them. */
    private static RecordMethods loaded;

    /** The most bytes by which a record becomes longer when it is marked. */
    public final long growth;
    private final RecordMethods methods;
    private final long run;

    private NativeRun(MarkingRun of, int options, ListedTexts texts) {
        methods = of.methods;
        run = methods.open(options | flag(IS_DUPLEX, of.options.hasDuplexBarcodes),
                of.options.tags.toArray(new String[0]), of.places.names, of.places.lengths,
                texts.texts(), texts.newTexts(), texts.files(), texts.groups());
        growth = methods.growth(run);
    }

    /** Opens a run that finds what duplicate marking needs of records. */
    public static NativeRun forFinding(MarkingRun run) {
        return new NativeRun(run, flag(SCORES_QUALITIES, run.options.scoresQualities)
                | flag(READS_NAMES, run.options.names == MarkingOptions.Names.DEFAULT)
                | flag(PAIRS_IN_GROUPS, run.options.pairsWithinGroups),
                new ListedTexts(run.inputs, run.groups, null));
    }

    /**
     * Opens a run that marks records.
     *
     * @param programs the new values of the tag PG by the old ones, or null if it stays
     */
    public static NativeRun forMarking(MarkingRun run, Map<String, String> programs) {
        MarkDuplicates tool = run.tool;
        return new NativeRun(run, flag(REMOVES, tool.REMOVE_DUPLICATES)
                | flag(REMOVES_OPTICAL, tool.REMOVE_SEQUENCING_DUPLICATES)
                | flag(TAGS, tool.TAGGING_POLICY != DuplicateTaggingPolicy.DontTag)
                | flag(TAGS_ALL, tool.TAGGING_POLICY == DuplicateTaggingPolicy.All)
                | flag(CLEARS_TYPE, tool.CLEAR_DT)
                | flag(SETS_PROGRAM, programs != null)
                | flag(RENAMES_GROUPS, run.inputs.renamesGroups())
                | flag(RENAMES_PROGRAMS, run.inputs.renamesPrograms()),
                new ListedTexts(run.inputs, run.groups, programs));
    }

    private static int flag(int bit, boolean isSet) {
        return isSet ? bit : 0;
    }

    /**
     * Returns the native methods.
     *
     * @throws UnsuitableException if there is no native library that has them
     */
    static synchronized RecordMethods methods() throws IOException, ReflectiveOperationException {
        try {
            if (loaded == null) {
                NativeLibrary library = NativeLibrary.load();
                RecordMethods methods =
                        (RecordMethods) library.instance(NativeRecords.class.getName());
                checkMethods(methods);
                loaded = methods;
            }
        } catch (UnsatisfiedLinkError | UnsupportedOperationException | IllegalStateException e) {
            throw new UnsuitableException("the native library: " + e.getMessage());
        }
        return loaded;
    }

    private static void checkMethods(RecordMethods methods) {
        try {
            methods.close(0);
        } catch (UnsatisfiedLinkError e) {
            throw NativeLibrary.foreign(e);
        }
    }

    /** Writes the row of each record. */
    public void readEnds(BamRecords records, int[] rows) {
        methods.readEnds(run, records.bytes, records.starts, records.files(), rows);
    }

    /** Marks records: see {@link RecordMethods#mark}. */
    public void mark(BamRecords records, byte[] marks, byte[] marked, int[] ends, long[] counts) {
        methods.mark(run, records.bytes, records.starts, records.files(), marks, marked, ends,
                counts);
    }

    @Override
    public void close() {
        methods.close(run);
    }
}
