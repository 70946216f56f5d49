package org.gklshim.gatk.duplicates.finding;

import static org.gklshim.gatk.records.LittleEndian.integer;
import static org.gklshim.gatk.records.LittleEndian.unsignedByte;
import static org.gklshim.gatk.records.LittleEndian.unsignedShort;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.Log;
import htsjdk.samtools.util.ProgressLogger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.duplicates.MarkingOptions;
import org.gklshim.gatk.duplicates.RecordMethods;
import org.gklshim.gatk.duplicates.UnsuitableException;
import org.gklshim.gatk.duplicates.reading.Places;
import org.gklshim.gatk.duplicates.reading.Inputs;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
import org.gklshim.gatk.duplicates.reading.ListedTexts;
import org.gklshim.gatk.duplicates.reading.UnusualRecords;
import org.gklshim.gatk.records.BamFormat;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.util.LibraryIdGenerator;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** Collects the ends of reads in the order of the file, and brings mates together. */
public final class CandidateCollector {
    private static final byte FF = 2;
    private static final byte FR = 3;
    private static final byte RR = 4;
    private static final byte RF = 5;
    private static final int PROGRESS = 1000 * 1000;
    private static final String NO_GROUP_OF_PAIR = "a pair without a read group";
    /** Picard's number for no read group. */
    private static final int NO_GROUP = 0;
    /** The same if the read has no place on the flow cell. */
    private static final int GROUP_UNSET = -1;

    private final MarkDuplicates tool;
    private final MarkingOptions options;
    private final SAMFileHeader header;
    private final ReadGroups groups;
    private final Places places;
    private final DuplicateCandidates store;
    private final MateMatcher mates;
    private final UnusualRecords unusual;
    private final OpticalDuplicateFinder finder;
    private final LibraryIdGenerator generator;
    private final Set<String> programs;
    private final Log log;
    private final ProgressLogger progress;
    /** The number that Picard gives to the library of each read group. 0 until it is asked for. */
    private final short[] libraries;
    private final ReadEnd read = new ReadEnd();
    private final ReadEnd mate = new ReadEnd();
    private final MateKey key = new MateKey();
    /** Whether the read is the first of its pair. */
    private boolean isFirst;
    private boolean hasWarned;
    /** Whether no further record counts. */
    private boolean isDone;
    /** Whether no further record is looked at. */
    private volatile boolean isComplete;
    /** How many more records of each file htsjdk reads before Picard stops. */
    private final int[] ahead;
    private long count;

    @SuppressWarnings("unchecked")
    public CandidateCollector(MarkDuplicates tool, MarkingOptions options, Inputs inputs,
            ReadGroups groups, Places places, DuplicateCandidates store, UnusualRecords unusual,
            LibraryIdGenerator generator, Log log) {
        ahead = new int[inputs.files.size()];
        // To merge files, it compares the next record of each, and has read the one after that.
        Arrays.fill(ahead, ahead.length == 1 ? 1 : 2);
        header = inputs.header;
        this.tool = tool;
        this.options = options;
        this.groups = groups;
        this.places = places;
        this.store = store;
        this.unusual = unusual;
        this.generator = generator;
        this.log = log;
        mates = new MateMatcher(places, options.isGrouped,
                tool.MAX_FILE_HANDLES_FOR_READ_ENDS_MAP);
        finder = (OpticalDuplicateFinder) Members.get(tool, "opticalDuplicateFinder");
        programs = (Set<String>) Members.get(tool, "pgIdsSeen");
        progress = new ProgressLogger(log, PROGRESS, "Read");
        libraries = new short[groups.count()];
    }

    /** Returns whether the rest of the file is not needed. */
    public boolean isComplete() {
        return isComplete;
    }

    /** Returns how many records were read. */
    public long count() {
        return count;
    }

    /** Returns how many reads have no mate. */
    public int unmatched() {
        return mates.size();
    }

    public void add(BatchRows ends) {
        if (isDone) {
            lookAhead(ends, 0);
            return;
        }
        int lastProgram = -1;
        for (int k = 0; k < ends.count && !isDone; k++) {
            int program = ends.program(k);
            // The order of the records decides the order of new programs in the header. Neighbours
            // have the same program mostly.
            if (program >= 0 && program != lastProgram) {
                programs.add(ends.programs[program]);
                lastProgram = program;
            }
            add(ends, k);
        }
        store.spillIfFull();
    }

    private void add(BatchRows ends, int k) {
        int kind = ends.kind(k);
        if (kind == RecordMethods.UNUSUAL) {
            kind = readUnusual(unusual.decode(ends.records, k), ends.records.markedIndex(k));
        } else if (kind != RecordMethods.SKIPPED) {
            read(ends, k, kind == RecordMethods.PAIRED);
        } else {
            isDone = ends.isLast && k == ends.count - 1;
        }
        if (kind == RecordMethods.PAIRED) {
            addPaired();
        } else if (kind == RecordMethods.UNPAIRED) {
            store.addUnpaired(read);
        }
        if (!isDone) {
            count(ends.records.bytes, ends.records.starts[k]);
        } else {
            lookAhead(ends, k + 1);
        }
    }

    /** Has htsjdk read ahead. If it finds a fault there, Picard opens no output. */
    private void lookAhead(BatchRows ends, int from) {
        for (int k = from; k < ends.records.count && !isComplete; k++) {
            int file = ends.records.file(k);
            if (ahead[file] > 0) {
                unusual.decode(ends.records, k);
                ahead[file]--;
                isComplete = Arrays.stream(ahead).allMatch(left -> left == 0);
            }
        }
    }

    private void count(byte[] bytes, int start) {
        count++;
        int sequence = integer(bytes, start + 4);
        if (progress.record(sequence < 0 ? null : places.names[sequence],
                sequence < 0 ? 0 : integer(bytes, start + 8) + 1)) {
            logUnmatched();
        }
    }

    private void logUnmatched() {
        log.info("Tracking " + mates.size() + " as yet unmatched pairs. " + mates.sizeInMemory()
                + " records in RAM.");
    }

    private void read(BatchRows ends, int k, boolean isPaired) {
        byte[] bytes = ends.records.bytes;
        int start = ends.records.starts[k];
        int flags = unsignedShort(bytes, start + 18);
        long rest = ends.get(k, RecordMethods.REST);
        int group = (int) (rest >> 32);
        read.sequence = integer(bytes, start + 4);
        read.place = ends.get(k, RecordMethods.PLACE) >> 1;
        read.isReverse = (flags & BamFormat.REVERSE) != 0;
        read.mateSequence = isPaired ? integer(bytes, start + 24) : -1;
        read.index = ends.records.markedIndex(k);
        read.score = (short) (rest >> 16);
        read.library = library(group);
        if (isLocated(ends, k)) {
            read.group = (short) (group == groups.none() ? NO_GROUP : group);
        } else {
            read.group = GROUP_UNSET;
        }
        read.barcode = (int) ends.get(k, RecordMethods.BARCODE);
        read.firstBarcode = (int) (ends.get(k, RecordMethods.END_BARCODES) >> 32);
        read.secondBarcode = (int) ends.get(k, RecordMethods.END_BARCODES);
        isFirst = (flags & BamFormat.FIRST) != 0;
        if (isPaired) {
            if (options.pairsWithinGroups && group == groups.none()) {
                throw new UnsuitableException(NO_GROUP_OF_PAIR);
            }
            key.set(groups.keyStart(group, options), bytes, start + BamFormat.FIXED_SIZE,
                    unsignedByte(bytes, start + 12) - 1, ends.get(k, RecordMethods.HASH));
        }
    }

    private short library(int group) {
        if (libraries[group] == 0) {
            libraries[group] = generator.getLibraryId(groups.record(group));
            if (libraries[group] < 0) {
                throw new UnsuitableException("the number of libraries");
            }
        }
        return libraries[group];
    }

    /** Finds the read's place on the flow cell. Returns whether Picard would find it. */
    private boolean isLocated(BatchRows ends, int k) {
        if (ends.isLocated(k)) {
            long location = ends.get(k, RecordMethods.LOCATION);
            read.tile = (short) ends.get(k, RecordMethods.REST);
            read.x = (int) (location >> 32);
            read.y = (int) location;
            return true;
        }
        ReadEndsForMarkDuplicates place = new ReadEndsForMarkDuplicates();
        boolean isLocated = options.names != MarkingOptions.Names.IGNORED && !hasWarned
                && askPicard(ends, k, place);
        read.readLocation(place);
        return isLocated;
    }

    private boolean askPicard(BatchRows ends, int k, ReadEndsForMarkDuplicates place) {
        // With its own pattern for names, Picard warns of the first name that is different.
        hasWarned = options.names == MarkingOptions.Names.DEFAULT;
        int start = ends.records.starts[k] + BamFormat.FIXED_SIZE;
        int length = unsignedByte(ends.records.bytes, start - BamFormat.FIXED_SIZE + 12) - 1;
        return finder.addLocationInformation(new String(ends.records.bytes, start, length,
                StandardCharsets.ISO_8859_1), place);
    }

    /** Does for a record what Picard does. Returns its kind. */
    private int readUnusual(SAMRecord record, long index) {
        if (options.hasProgram) {
            programs.add(record.getStringAttribute("PG"));
        }
        if (record.getReadUnmappedFlag()) {
            isDone = record.getReferenceIndex() == -1 && !options.isGrouped;
            return RecordMethods.SKIPPED;
        }
        if (record.isSecondaryOrSupplementary()) {
            return RecordMethods.SKIPPED;
        }
        read.read((ReadEndsForMarkDuplicates) Members.call(tool, "buildReadEnds", header, index,
                record, options.hasBarcodes), places);
        if (!record.getReadPairedFlag() || record.getMateUnmappedFlag()) {
            return RecordMethods.UNPAIRED;
        }
        isFirst = record.getFirstOfPairFlag();
        if (options.pairsWithinGroups && record.getReadGroup() == null) {
            throw new UnsuitableException(NO_GROUP_OF_PAIR);
        }
        String group = options.pairsWithinGroups ? record.getReadGroup().getReadGroupId() : "";
        key.set(ListedTexts.bytes(group), ListedTexts.bytes(record.getReadName()));
        return RecordMethods.PAIRED;
    }

    /** Adds the read, whose mate is mapped. */
    private void addPaired() {
        // A read may say that it is paired, and that its mate is on no sequence.
        if (read.mateSequence < 0) {
            throw new UnsuitableException("a mapped mate without a place");
        }
        store.addPairedRead(read);
        if (mates.remove(read.sequence, key, mate)) {
            join();
        } else {
            mates.put(key, read);
        }
    }

    /** Makes a pair of the read and its mate, which came before it. */
    private void join() {
        boolean isLeft = read.place < mate.place;
        ReadEnd left = isLeft ? read : mate;
        ReadEnd right = isLeft ? mate : read;
        byte orientation = orientation(left.isReverse, right.isReverse);
        if (isFirst) {
            mate.firstBarcode = read.firstBarcode;
        } else {
            mate.secondBarcode = read.secondBarcode;
        }
        // Two ends at one place have one orientation, whichever comes first.
        if (orientation == RF && left.place == right.place) {
            orientation = FR;
        }
        store.addPair(left, right, mate, orientation,
                isFirst ? orientation(read.isReverse, mate.isReverse)
                : orientation(mate.isReverse, read.isReverse));
    }

    private static byte orientation(boolean isFirstReverse, boolean isSecondReverse) {
        if (isFirstReverse) {
            return isSecondReverse ? RR : RF;
        }
        return isSecondReverse ? FR : FF;
    }
}
