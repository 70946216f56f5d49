package org.gklshim.gatk.duplicates;

import java.util.List;
import java.util.stream.LongStream;
import org.gklshim.gatk.duplicates.finding.MateKey;
import org.gklshim.gatk.duplicates.reading.Places;
import org.gklshim.gatk.duplicates.reading.Inputs;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
import org.gklshim.gatk.records.Tags;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;

/** What native code needs to know of the tool's options and of the header. */
public final class Facts {
    private static final int READS_PROGRAMS = 1;
    private static final int IS_GROUPED = 1 << 1;
    private static final int SCORES_QUALITIES = 1 << 2;
    private static final int READS_NAMES = 1 << 3;
    private static final int HAS_SHORT_PLACES = 1 << 4;
    private static final int REMOVES = 1 << 5;
    private static final int REMOVES_OPTICAL = 1 << 6;
    private static final int TAGS = 1 << 7;
    private static final int TAGS_ALL = 1 << 8;
    private static final int CLEARS_TYPE = 1 << 9;
    private static final int SETS_PROGRAM = 1 << 10;
    private static final int RENAMES_GROUPS = 1 << 11;
    private static final int RENAMES_PROGRAMS = 1 << 12;
    private static final int IS_DUPLEX = 1 << 13;

    private Facts() {}

    /** Returns the facts for finding duplicates. */
    public static long[] forFinding(MarkingOptions options, Places places, ReadGroups groups) {
        return facts(flag(READS_PROGRAMS, options.hasProgram)
                | flag(IS_GROUPED, options.isGrouped)
                | flag(SCORES_QUALITIES, options.scoresQualities)
                | flag(READS_NAMES, options.names == MarkingOptions.Names.DEFAULT)
                | flag(HAS_SHORT_PLACES, options.hasShortPlaces), options, places, groups);
    }

    /** Returns the facts for marking. */
    static long[] forMarking(MarkDuplicates tool, boolean setsProgram, Inputs inputs,
            MarkingOptions options, Places places, ReadGroups groups) {
        return facts(flag(REMOVES, tool.REMOVE_DUPLICATES)
                | flag(REMOVES_OPTICAL, tool.REMOVE_SEQUENCING_DUPLICATES)
                | flag(TAGS, tool.TAGGING_POLICY != DuplicateTaggingPolicy.DontTag)
                | flag(TAGS_ALL, tool.TAGGING_POLICY == DuplicateTaggingPolicy.All)
                | flag(CLEARS_TYPE, tool.CLEAR_DT)
                | flag(SETS_PROGRAM, setsProgram)
                | flag(RENAMES_GROUPS, inputs.renamesGroups())
                | flag(RENAMES_PROGRAMS, inputs.renamesPrograms()), options, places, groups);
    }

    /** Returns the facts of a header without sequences and read groups. */
    static long[] ofNothing() {
        return new long[6];
    }

    private static int flag(int bit, boolean isSet) {
        return isSet ? bit : 0;
    }

    /** Returns names of two letters as 16 bits each, the first name in the lowest bits. */
    private static long packed(List<String> tags) {
        long packed = 0;
        for (int k = 0; k < tags.size(); k++) {
            String tag = tags.get(k);
            packed |= tag == null ? 0 : (long) Tags.name(tag.charAt(0), tag.charAt(1)) << 16 * k;
        }
        return packed;
    }

    private static long[] facts(int flags, MarkingOptions options, Places places,
            ReadGroups groups) {
        LongStream.Builder facts = LongStream.builder();
        facts.add(flags | flag(IS_DUPLEX, options.hasDuplexBarcodes)).add(Places.MARGIN)
                .add(places.lengths.length).add(groups.count()).add(packed(options.tags));
        for (int length : places.lengths) {
            facts.add(length);
        }
        for (int sequence = 0; sequence < places.lengths.length; sequence++) {
            facts.add(places.place(sequence, 0));
        }
        int nameStart = 0;
        facts.add(nameStart);
        for (String name : places.names) {
            nameStart += name.length();
            facts.add(nameStart);
        }
        for (int group = 0; group < groups.count(); group++) {
            facts.add(MateKey.hashBefore(groups.keyStart(group, options)));
        }
        return facts.build().toArray();
    }
}
