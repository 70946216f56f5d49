package org.gklshim.gatk.duplicates;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;

/**
 * Marks records, and writes their tags as htsjdk does once a tag was set: sorted, and whole numbers
 * with the smallest type. Each thread has its own marker.
 */
final class RecordMarker {
    private static final byte[] LIBRARY = {'L', 'B'};
    private static final byte[] SEQUENCING = {'S', 'Q'};

    private final MarkDuplicates tool;
    private final DuplicateSets sets;
    private final ReadGroups groups;
    private final SAMFileHeader header;
    /** The new values of the tag PG by the old ones, or null if it stays. */
    private final Map<String, byte[]> programs;
    private final boolean isMerged;
    private final DefaultSAMRecordFactory factory = new DefaultSAMRecordFactory();
    private final RecordView view;
    private final Tags tags = new Tags();
    private final ReadGroups.Finder[] groupFinders;
    private final ProgramFinder[] programFinders;
    private byte[] buffer = new byte[1 << 12];

    /**
     * Makes a marker.
     *
     * @param header the header of the records that are written
     * @param newPrograms the values of the tag PG by those that records have, or null
     */
    RecordMarker(MarkDuplicates tool, DuplicateSets sets, Inputs inputs, ReadGroups groups,
            int[] sequenceLengths, SAMFileHeader header, Map<String, String> newPrograms) {
        this.tool = tool;
        this.sets = sets;
        this.groups = groups;
        groupFinders = groups.finders();
        programFinders = ProgramFinder.of(inputs);
        this.header = header;
        isMerged = inputs.files.size() > 1;
        view = new RecordView(sequenceLengths);
        programs = newPrograms == null ? null : new HashMap<>();
        if (newPrograms != null) {
            newPrograms.forEach((before, after) ->
                    programs.put(before, after.getBytes(StandardCharsets.ISO_8859_1)));
        }
    }

    MarkedBatch mark(BamRecords records) {
        MarkedBatch batch = new MarkedBatch(records, groups.count());
        for (int k = 0; k < records.count; k++) {
            batch.isUnusual[k] = !mark(batch, k);
        }
        return batch;
    }

    /** Marks a record. Returns whether it is a usual one. */
    private boolean mark(MarkedBatch batch, int k) {
        byte[] bytes = batch.records.bytes;
        if (!view.parse(bytes, batch.records.starts[k])
                || !tags.parse(bytes, view.tagsStart, view.end)) {
            return false;
        }
        int file = batch.records.file(k);
        int group = groupFinders[file].find(bytes, tags);
        if (group < 0 || !ProgramFinder.isUsual(bytes, tags)) {
            return false;
        }
        long index = batch.records.markedIndex(k);
        boolean isDuplicate = sets.duplicates.get(index);
        boolean isOptical = isDuplicate && sets.opticalDuplicates != null
                && sets.opticalDuplicates.get(index);
        count(batch.counts[group], isDuplicate);
        boolean isRemoved = tool.REMOVE_DUPLICATES && isDuplicate
                || tool.REMOVE_SEQUENCING_DUPLICATES && isOptical;
        if (!isRemoved) {
            byte[] newGroup = groupFinders[file].isRenamed() && group != groups.none()
                    ? groups.id(group).getBytes(StandardCharsets.ISO_8859_1) : null;
            String program = programFinders[file].find(bytes, tags);
            batch.marked[k] = record(isDuplicate, rest(bytes, newGroup, program,
                    type(isDuplicate, isOptical)));
        }
        return true;
    }

    private void count(long[] counts, boolean isDuplicate) {
        boolean isPaired = view.has(RecordView.PAIRED) && !view.has(RecordView.MATE_UNMAPPED);
        if (view.has(RecordView.UNMAPPED)) {
            counts[MarkedBatch.UNMAPPED]++;
        } else if (!view.isPrimary()) {
            counts[MarkedBatch.NOT_PRIMARY]++;
        } else {
            counts[isPaired ? MarkedBatch.PAIRED : MarkedBatch.UNPAIRED]++;
            if (isDuplicate) {
                counts[isPaired ? MarkedBatch.PAIRED_DUPLICATE
                        : MarkedBatch.UNPAIRED_DUPLICATE]++;
            }
        }
    }

    /** Returns the value of the tag DT, or null. */
    private byte[] type(boolean isDuplicate, boolean isOptical) {
        if (!isDuplicate || tool.TAGGING_POLICY == DuplicateTaggingPolicy.DontTag) {
            return null;
        }
        if (isOptical) {
            return SEQUENCING;
        }
        return tool.TAGGING_POLICY == DuplicateTaggingPolicy.All ? LIBRARY : null;
    }

    /** Returns what follows the fixed part of a record, with new tags. */
    private byte[] rest(byte[] bytes, byte[] newGroup, String program, byte[] type) {
        byte[] newProgram = null;
        if (programs != null) {
            newProgram = programs.get(program);
        } else if (isMerged && program != null) {
            newProgram = program.getBytes(StandardCharsets.ISO_8859_1);
        }
        int nameStart = view.start + BamRecords.FIXED_SIZE;
        int size = view.end - nameStart + (newProgram == null ? 0 : newProgram.length + 4)
                + (newGroup == null ? 0 : newGroup.length) + 6;
        if (buffer.length < size) {
            buffer = new byte[2 * size];
        }
        int at = view.tagsStart - nameStart;
        System.arraycopy(bytes, nameStart, buffer, 0, at);
        tidy(at);
        boolean isProgramOpen = newProgram != null;
        boolean isTypeOpen = type != null;
        for (int k = 0; k < tags.count; k++) {
            int name = tags.names[k];
            if (isProgramOpen && name >= Tags.PG) {
                at = Tags.writeText(buffer, at, Tags.PG, newProgram);
                isProgramOpen = false;
            }
            if (isTypeOpen && name >= Tags.DT) {
                at = Tags.writeText(buffer, at, Tags.DT, type);
                isTypeOpen = false;
            }
            if (name == Tags.RG && newGroup != null) {
                at = Tags.writeText(buffer, at, Tags.RG, newGroup);
            } else if (name != Tags.DT && (name != Tags.PG || programs == null && !isMerged)) {
                at = Tags.write(buffer, at, name, bytes, tags.starts[k], tags.ends[k]);
            }
        }
        if (isProgramOpen) {
            at = Tags.writeText(buffer, at, Tags.PG, newProgram);
        }
        if (isTypeOpen) {
            at = Tags.writeText(buffer, at, Tags.DT, type);
        }
        return Arrays.copyOf(buffer, at);
    }

    /** Writes what has no meaning as htsjdk does: half a byte of bases, and missing qualities. */
    private void tidy(int end) {
        int qualities = end - view.length;
        if ((view.length & 1) == 1) {
            buffer[qualities - 1] &= (byte) 0xf0;
        }
        if (view.length > 0 && buffer[qualities] == -1) {
            Arrays.fill(buffer, qualities, end, (byte) -1);
        }
    }

    private SAMRecord record(boolean isDuplicate, byte[] rest) {
        int flags = isDuplicate
                ? view.flags | RecordView.DUPLICATE : view.flags & ~RecordView.DUPLICATE;
        SAMRecord record = factory.createBAMRecord(header, view.reference, view.position,
                (short) view.nameLength, (short) view.mappingQuality, view.bin, view.cigarCount,
                flags, view.length, view.mateReference, view.matePosition, view.insertSize, rest);
        // The writer needs it.
        record.getCigar();
        return record;
    }
}
