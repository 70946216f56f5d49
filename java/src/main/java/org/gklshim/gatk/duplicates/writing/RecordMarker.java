package org.gklshim.gatk.duplicates.writing;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.gklshim.gatk.duplicates.finding.DuplicateSets;
import org.gklshim.gatk.duplicates.finding.Marks;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.Buffers;
import org.gklshim.gatk.duplicates.reading.Genome;
import org.gklshim.gatk.duplicates.reading.Inputs;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
import org.gklshim.gatk.duplicates.reading.UsualRecord;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.LittleEndian;
import org.gklshim.gatk.records.Tags;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.MarkDuplicates.DuplicateTaggingPolicy;

/**
 * Marks records, and writes their tags as htsjdk does once a tag was set: sorted, and whole numbers
 * with the smallest type. Each thread has its own marker.
 */
public final class RecordMarker {
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
    private final UsualRecord usual;
    private final BamRecord record;
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
    public RecordMarker(MarkDuplicates tool, DuplicateSets sets, Inputs inputs, ReadGroups groups,
            Genome genome, SAMFileHeader header, Map<String, String> newPrograms,
            boolean makesObjects, Buffers buffers) {
        this.tool = tool;
        this.sets = sets;
        this.groups = groups;
        this.header = header;
        this.makesObjects = makesObjects;
        this.buffers = buffers;
        renamesGroups = inputs.renamesGroups();
        renamesPrograms = inputs.renamesPrograms();
        usual = new UsualRecord(inputs, groups, genome);
        record = usual.fields;
        programs = newPrograms == null ? null : new HashMap<>();
        if (newPrograms != null) {
            newPrograms.forEach((before, after) ->
                    programs.put(before, after.getBytes(StandardCharsets.ISO_8859_1)));
        }
    }

    public MarkedBatch mark(BamRecords records) {
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
        if (!usual.parse(batch.records, k)) {
            return false;
        }
        long index = batch.records.markedIndex(k);
        boolean isDuplicate = sets.duplicates.get(index);
        boolean isOptical = isDuplicate && sets.opticalDuplicates != null
                && sets.opticalDuplicates.get(index);
        count(batch.counts[usual.group], isDuplicate);
        boolean isRemoved = tool.REMOVE_DUPLICATES && isDuplicate
                || tool.REMOVE_SEQUENCING_DUPLICATES && isOptical;
        if (!isRemoved) {
            byte[] newGroup = usual.isGroupRenamed() && usual.group != groups.none()
                    ? groups.idBytes(usual.group) : null;
            write(batch, k, isDuplicate, newGroup, usual.program(),
                    type(isDuplicate, isOptical));
        }
        return true;
    }

    private void count(long[] counts, boolean isDuplicate) {
        boolean isPaired = record.has(BamFormat.PAIRED) && !record.has(BamFormat.MATE_UNMAPPED);
        if (record.has(BamFormat.UNMAPPED)) {
            counts[MarkedBatch.UNMAPPED]++;
        } else if (!record.isPrimary()) {
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
        int largest = record.end - record.start + (newProgram == null ? 0 : newProgram.length + 4)
                + (newGroup == null ? 0 : newGroup.length) + 6;
        if (batch.bytes.length < start + largest) {
            batch.bytes = Arrays.copyOf(batch.bytes, 2 * (start + largest));
        }
        byte[] buffer = batch.bytes;
        System.arraycopy(record.bytes, record.start, buffer, start, record.end - record.start);
        LittleEndian.putShort(buffer, start + BamFormat.BIN, record.bin());
        LittleEndian.putShort(buffer, start + BamFormat.FLAGS, isDuplicate
                ? record.flags | BamFormat.DUPLICATE : record.flags & ~BamFormat.DUPLICATE);
        int end = start + record.end - record.start;
        if (setsTag(type)) {
            int at = start + record.tagsStart - record.start;
            tidy(buffer, at);
            end = writeTags(buffer, at, newGroup, newProgram, type);
            LittleEndian.putInteger(buffer, start, end - start - 4);
        }
        batch.ends[k] = end;
    }

    /** Returns whether htsjdk sets a tag of the record, even if to the value that it has. */
    private boolean setsTag(byte[] type) {
        return tool.CLEAR_DT || programs != null || type != null
                || renamesGroups && record.tags.find(Tags.RG) >= 0
                || renamesPrograms && record.tags.find(Tags.PG) >= 0;
    }

    /** Writes the tags of a record. Returns where they end. */
    private int writeTags(byte[] buffer, int start, byte[] newGroup, byte[] newProgram,
            byte[] type) {
        boolean keepsProgram = programs == null && !renamesPrograms;
        boolean keepsType = type == null && !tool.CLEAR_DT;
        boolean isProgramOpen = newProgram != null;
        boolean isTypeOpen = type != null;
        int at = start;
        Tags tags = record.tags;
        for (int tag = 0; tag < tags.count; tag++) {
            int name = tags.names[tag];
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
            } else if ((name != Tags.DT || keepsType)
                    && (name != Tags.PG || keepsProgram)) {
                at = Tags.write(buffer, at, name, record.bytes, tags.starts[tag], tags.ends[tag]);
            }
        }
        if (isProgramOpen) {
            at = Tags.writeText(buffer, at, Tags.PG, newProgram);
        }
        if (isTypeOpen) {
            at = Tags.writeText(buffer, at, Tags.DT, type);
        }
        return at;
    }

    /** Writes what has no meaning as htsjdk does: half a byte of bases, and missing qualities. */
    private void tidy(byte[] buffer, int end) {
        int qualities = end - record.length;
        if ((record.length & 1) == 1) {
            buffer[qualities - 1] &= (byte) 0xf0;
        }
        if (record.length > 0 && buffer[qualities] == -1) {
            Arrays.fill(buffer, qualities, end, (byte) -1);
        }
    }

    /** Returns the object of a marked record, or null if it is removed or unusual. */
    private SAMRecord object(MarkedBatch batch, int k) {
        int start = batch.start(k);
        if (batch.ends[k] == start) {
            return null;
        }
        record.parse(batch.bytes, start, batch.ends[k]);
        SAMRecord object = record.object(header, factory);
        // The writer needs it.
        object.getCigar();
        return object;
    }
}
