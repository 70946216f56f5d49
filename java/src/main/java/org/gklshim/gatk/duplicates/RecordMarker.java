package org.gklshim.gatk.duplicates;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.LittleEndian;
import org.gklshim.gatk.records.Tags;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;
import picard.sam.markduplicates.MarkDuplicates;

/**
 * Marks records, and writes their tags as htsjdk does once a tag was set: sorted, and whole numbers
 * with the smallest type. Each thread has its own marker.
 */
final class RecordMarker {
    /** Where these fields of a record are. */
    private static final int BIN = 14;
    private static final int FLAGS = 18;
    private static final byte[] LIBRARY = {'L', 'B'};
    private static final byte[] SEQUENCING = {'S', 'Q'};

    private final MarkDuplicates tool;
    private final DuplicateSets sets;
    private final ReadGroups groups;
    private final SAMFileHeader header;
    /** The new values of the tag PG by the old ones, or null if it stays. */
    private final Map<String, byte[]> programs;
    private final boolean renamesGroups;
    private final boolean renamesPrograms;
    private final DefaultSAMRecordFactory factory = new DefaultSAMRecordFactory();
    private final RecordView view;
    private final Tags tags = new Tags();
    private final ReadGroups.Finder[] groupFinders;
    private final ProgramFinder[] programFinders;
    private final boolean makesObjects;
    private final Buffers buffers;

    /**
     * Makes a marker.
     *
     * @param header the header of the records that are written
     * @param newPrograms the values of the tag PG by those that records have, or null
     * @param makesObjects whether the writer needs objects
     * @param buffers gives the arrays of marked records
     */
    RecordMarker(MarkDuplicates tool, DuplicateSets sets, Inputs inputs, ReadGroups groups,
            int[] sequenceLengths, SAMFileHeader header, Map<String, String> newPrograms,
            boolean makesObjects, Buffers buffers) {
        this.tool = tool;
        this.sets = sets;
        this.groups = groups;
        groupFinders = groups.finders();
        programFinders = ProgramFinder.of(inputs);
        this.header = header;
        this.makesObjects = makesObjects;
        this.buffers = buffers;
        renamesGroups = inputs.renamesGroups();
        renamesPrograms = inputs.renamesPrograms();
        view = new RecordView(sequenceLengths);
        programs = newPrograms == null ? null : new HashMap<>();
        if (newPrograms != null) {
            newPrograms.forEach((before, after) ->
                    programs.put(before, after.getBytes(StandardCharsets.ISO_8859_1)));
        }
    }

    MarkedBatch mark(BamRecords records) {
        MarkedBatch batch = new MarkedBatch(records, groups.count());
        // Most records get longer by little.
        batch.bytes = buffers.take(records.starts[records.count] + 16 * records.count);
        for (int k = 0; k < records.count; k++) {
            batch.ends[k] = batch.start(k);
            batch.isUnusual[k] = !mark(batch, k);
        }
        if (makesObjects) {
            batch.objects = new SAMRecord[records.count];
            for (int k = 0; k < records.count; k++) {
                batch.objects[k] = object(batch, k);
            }
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
                    ? groups.idBytes(group) : null;
            String program = programFinders[file].find(bytes, tags);
            write(batch, k, isDuplicate, newGroup, program, type(isDuplicate, isOptical));
        }
        return true;
    }

    private void count(long[] counts, boolean isDuplicate) {
        boolean isPaired = view.has(BamFormat.PAIRED) && !view.has(BamFormat.MATE_UNMAPPED);
        if (view.has(BamFormat.UNMAPPED)) {
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

    /**
     * Writes a record with new flags and tags. If htsjdk would set no tag, all else stays as it is.
     */
    private void write(MarkedBatch batch, int k, boolean isDuplicate, byte[] newGroup,
            String program, byte[] type) {
        byte[] newProgram = null;
        if (programs != null) {
            newProgram = programs.get(program);
        } else if (renamesPrograms && program != null) {
            newProgram = program.getBytes(StandardCharsets.ISO_8859_1);
        }
        int start = batch.start(k);
        int largest = view.end - view.start + (newProgram == null ? 0 : newProgram.length + 4)
                + (newGroup == null ? 0 : newGroup.length) + 6;
        if (batch.bytes.length < start + largest) {
            batch.bytes = Arrays.copyOf(batch.bytes, 2 * (start + largest));
        }
        byte[] buffer = batch.bytes;
        System.arraycopy(view.bytes, view.start, buffer, start, view.end - view.start);
        LittleEndian.putShort(buffer, start + BIN, view.position == 0 ? 0 : view.computeBin());
        LittleEndian.putShort(buffer, start + FLAGS, isDuplicate
                ? view.flags | BamFormat.DUPLICATE : view.flags & ~BamFormat.DUPLICATE);
        int end = start + view.end - view.start;
        if (setsTag(type)) {
            int at = start + view.tagsStart - view.start;
            tidy(buffer, at);
            end = writeTags(buffer, at, newGroup, newProgram, type);
            LittleEndian.putInteger(buffer, start, end - start - 4);
        }
        batch.ends[k] = end;
    }

    /** Returns whether htsjdk sets a tag of the record, even if to the value that it has. */
    private boolean setsTag(byte[] type) {
        return tool.CLEAR_DT || programs != null || type != null
                || renamesGroups && tags.find(RecordView.RG) >= 0
                || renamesPrograms && tags.find(RecordView.PG) >= 0;
    }

    /** Writes the tags of a record. Returns where they end. */
    private int writeTags(byte[] buffer, int start, byte[] newGroup, byte[] newProgram,
            byte[] type) {
        boolean keepsProgram = programs == null && !renamesPrograms;
        boolean keepsType = type == null && !tool.CLEAR_DT;
        boolean isProgramOpen = newProgram != null;
        boolean isTypeOpen = type != null;
        int at = start;
        for (int tag = 0; tag < tags.count; tag++) {
            int name = tags.names[tag];
            if (isProgramOpen && name >= RecordView.PG) {
                at = Tags.writeText(buffer, at, RecordView.PG, newProgram);
                isProgramOpen = false;
            }
            if (isTypeOpen && name >= RecordView.DT) {
                at = Tags.writeText(buffer, at, RecordView.DT, type);
                isTypeOpen = false;
            }
            if (name == RecordView.RG && newGroup != null) {
                at = Tags.writeText(buffer, at, RecordView.RG, newGroup);
            } else if ((name != RecordView.DT || keepsType)
                    && (name != RecordView.PG || keepsProgram)) {
                at = Tags.write(buffer, at, name, view.bytes, tags.starts[tag], tags.ends[tag]);
            }
        }
        if (isProgramOpen) {
            at = Tags.writeText(buffer, at, RecordView.PG, newProgram);
        }
        if (isTypeOpen) {
            at = Tags.writeText(buffer, at, RecordView.DT, type);
        }
        return at;
    }

    /** Writes what has no meaning as htsjdk does: half a byte of bases, and missing qualities. */
    private void tidy(byte[] buffer, int end) {
        int qualities = end - view.length;
        if ((view.length & 1) == 1) {
            buffer[qualities - 1] &= (byte) 0xf0;
        }
        if (view.length > 0 && buffer[qualities] == -1) {
            Arrays.fill(buffer, qualities, end, (byte) -1);
        }
    }

    /** Returns the object of a marked record, or null if it is removed or unusual. */
    private SAMRecord object(MarkedBatch batch, int k) {
        int start = batch.start(k);
        if (batch.ends[k] == start) {
            return null;
        }
        view.parse(batch.bytes, start);
        SAMRecord record = factory.createBAMRecord(header, view.reference, view.position,
                (short) view.nameLength, (short) view.mappingQuality, view.bin, view.cigarCount,
                view.flags, view.length, view.mateReference, view.matePosition, view.insertSize,
                Arrays.copyOfRange(batch.bytes, start + BamRecords.FIXED_SIZE, view.end));
        // The writer needs it.
        record.getCigar();
        return record;
    }
}
