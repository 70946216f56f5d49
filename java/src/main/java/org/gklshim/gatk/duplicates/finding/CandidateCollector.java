package org.gklshim.gatk.duplicates.finding;

import htsjdk.samtools.SAMReadGroupRecord;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.ProgressLogger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.duplicates.MarkingOptions;
import org.gklshim.gatk.duplicates.MarkingRun;
import org.gklshim.gatk.duplicates.UnsuitableException;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.Places;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
import org.gklshim.gatk.records.BamFormat;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** Collects the ends of reads in the order of the file, and brings mates together. */
final class CandidateCollector {
    private static final byte FF = 2;
    private static final byte FR = 3;
    private static final byte RR = 4;
    private static final byte RF = 5;
    private static final int PROGRESS = 1000 * 1000;
    private static final byte[] NO_BYTES = {};
    /** Picard's number for no read group. */
    private static final int NO_GROUP = 0;
    /** The same if the read has no place on the flow cell. */
    private static final int GROUP_UNSET = -1;

    private final MarkingRun run;
    private final MarkingOptions options;
    private final Places places;
    private final DuplicateCandidates candidates;
    private final MateMatcher mates;
    private final OpticalDuplicateFinder finder;
    private final Set<String> programs;
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
    CandidateCollector(MarkingRun run, DuplicateCandidates candidates) {
        this.run = run;
        this.candidates = candidates;
        options = run.options;
        places = run.places;
        ahead = new int[run.inputs.files.size()];
        // To merge files, it compares the next record of each, and has read the one after that.
        Arrays.fill(ahead, ahead.length == 1 ? 1 : 2);
        mates = new MateMatcher(places, options.isGrouped,
                run.tool.MAX_FILE_HANDLES_FOR_READ_ENDS_MAP);
        finder = (OpticalDuplicateFinder) Members.get(run.tool, "opticalDuplicateFinder");
        programs = (Set<String>) Members.get(run.tool, "pgIdsSeen");
        progress = new ProgressLogger(run.log, PROGRESS, "Read");
        libraries = new short[run.groups.count()];
    }

    /** Returns whether the rest of the file is not needed. */
    boolean isComplete() {
        return isComplete;
    }

    /** Returns how many records were read. */
    long count() {
        return count;
    }

    /** Returns how many reads have no mate. */
    int unmatched() {
        return mates.size();
    }

    void add(BatchRows rows) {
        if (isDone) {
            lookAhead(rows.records, 0);
            return;
        }
        // The order of the records decides the order of new programs in the header. Neighbours
        // have the same program mostly.
        int last = -1;
        for (int k = 0; k < rows.records.count && !isDone; k++) {
            if (options.hasProgram && rows.get(k, BatchRows.KIND) != BatchRows.UNUSUAL
                    && (last < 0 || rows.program(k) != rows.program(last))) {
                programs.add(rows.program(k));
                last = k;
            }
            add(rows, k);
        }
        candidates.spillIfFull();
    }

    private void add(BatchRows rows, int k) {
        int kind = rows.get(k, BatchRows.KIND);
        if (kind == BatchRows.UNUSUAL) {
            kind = readUnusual(rows, k);
        } else if (kind == BatchRows.SKIPPED) {
            isDone = !options.isGrouped && rows.get(k, BatchRows.REFERENCE) == -1
                    && (rows.get(k, BatchRows.FLAGS) & BamFormat.UNMAPPED) != 0;
        } else {
            read(rows, k, kind == BatchRows.PAIRED);
        }
        if (kind == BatchRows.PAIRED) {
            addPaired();
        } else if (kind == BatchRows.UNPAIRED) {
            candidates.addUnpaired(read);
        }
        if (!isDone) {
            count(rows.get(k, BatchRows.REFERENCE), rows.get(k, BatchRows.POSITION));
        } else {
            lookAhead(rows.records, k + 1);
        }
    }

    /** Has htsjdk read ahead. If it finds a fault there, Picard opens no output. */
    private void lookAhead(BamRecords records, int from) {
        for (int k = from; k < records.count && !isComplete; k++) {
            int file = records.file(k);
            if (ahead[file] > 0) {
                run.unusual.decode(records, k);
                ahead[file]--;
                isComplete = Arrays.stream(ahead).allMatch(left -> left == 0);
            }
        }
    }

    private void count(int sequence, int position) {
        count++;
        if (progress.record(sequence < 0 ? null : places.names[sequence],
                sequence < 0 ? 0 : position)) {
            logUnmatched();
        }
    }

    private void logUnmatched() {
        run.log.info("Tracking " + mates.size() + " as yet unmatched pairs. " + mates.sizeInMemory()
                + " records in RAM.");
    }

    private void read(BatchRows rows, int k, boolean isPaired) {
        int flags = rows.get(k, BatchRows.FLAGS);
        int group = rows.get(k, BatchRows.GROUP);
        boolean hasGroup = group != run.groups.none();
        read.sequence = rows.get(k, BatchRows.REFERENCE);
        read.place = places.place(read.sequence, rows.get(k, BatchRows.END));
        read.isReverse = (flags & BamFormat.REVERSE) != 0;
        read.mateSequence = isPaired ? rows.get(k, BatchRows.MATE_REFERENCE) : -1;
        read.index = rows.records.markedIndex(k);
        read.score = (short) rows.get(k, BatchRows.SCORE);
        read.library = library(group);
        if (isLocated(rows, k)) {
            read.group = (short) (hasGroup ? group : NO_GROUP);
        } else {
            read.group = GROUP_UNSET;
        }
        read.barcode = rows.get(k, BatchRows.BARCODE);
        read.firstBarcode = rows.get(k, BatchRows.FIRST_BARCODE);
        read.secondBarcode = rows.get(k, BatchRows.SECOND_BARCODE);
        isFirst = (flags & BamFormat.FIRST) != 0;
        if (isPaired) {
            setKey(hasGroup ? run.groups.idBytes(group) : null, rows.records.bytes,
                    rows.nameStart(k), rows.get(k, BatchRows.NAME_LENGTH),
                    rows.get(k, BatchRows.KEY_HASH));
        }
    }

    /** Sets what the read has in common with its mate. */
    private void setKey(byte[] group, byte[] bytes, int start, int length, int hash) {
        if (options.pairsWithinGroups && group == null) {
            throw new UnsuitableException("a pair without a read group");
        }
        key.set(options.pairsWithinGroups ? group : NO_BYTES, bytes, start, length, hash);
    }

    private short library(int group) {
        if (libraries[group] == 0) {
            libraries[group] = run.generator.getLibraryId(run.groups.record(group));
            if (libraries[group] < 0) {
                throw new UnsuitableException("the number of libraries");
            }
        }
        return libraries[group];
    }

    /** Finds the read's location on the flow cell. Returns whether Picard would find it. */
    private boolean isLocated(BatchRows rows, int k) {
        if (rows.get(k, BatchRows.IS_LOCATED) != 0) {
            int x = rows.get(k, BatchRows.X);
            int y = rows.get(k, BatchRows.Y);
            read.tile = (short) rows.get(k, BatchRows.TILE);
            read.x = options.hasShortPlaces ? (short) x : x;
            read.y = options.hasShortPlaces ? (short) y : y;
            return true;
        }
        ReadEndsForMarkDuplicates location = new ReadEndsForMarkDuplicates();
        boolean isLocated = options.names != MarkingOptions.Names.IGNORED && !hasWarned
                && askPicard(rows, k, location);
        read.readLocation(location);
        return isLocated;
    }

    private boolean askPicard(BatchRows rows, int k, ReadEndsForMarkDuplicates location) {
        // With its own pattern for names, Picard warns of the first name that is different.
        hasWarned = options.names == MarkingOptions.Names.DEFAULT;
        return finder.addLocationInformation(new String(rows.records.bytes, rows.nameStart(k),
                rows.get(k, BatchRows.NAME_LENGTH), StandardCharsets.ISO_8859_1), location);
    }

    /** Does for a record what Picard does. Returns its kind. */
    private int readUnusual(BatchRows rows, int k) {
        SAMRecord record = run.unusual.decode(rows.records, k);
        if (options.hasProgram) {
            programs.add(record.getStringAttribute("PG"));
        }
        if (record.getReadUnmappedFlag()) {
            isDone = record.getReferenceIndex() == -1 && !options.isGrouped;
            return BatchRows.SKIPPED;
        }
        if (record.isSecondaryOrSupplementary()) {
            return BatchRows.SKIPPED;
        }
        read.read((ReadEndsForMarkDuplicates) Members.call(run.tool, "buildReadEnds", run.header,
                rows.records.markedIndex(k), record, options.hasBarcodes), places);
        if (!record.getReadPairedFlag() || record.getMateUnmappedFlag()) {
            return BatchRows.UNPAIRED;
        }
        isFirst = record.getFirstOfPairFlag();
        SAMReadGroupRecord group = record.getReadGroup();
        byte[] name = ReadGroups.bytes(record.getReadName());
        setKey(group == null ? null : ReadGroups.bytes(group.getReadGroupId()), name, 0,
                name.length, 0);
        key.hash = run.keyHash(key.copy());
        return BatchRows.PAIRED;
    }

    /** Adds the read, whose mate is mapped. */
    private void addPaired() {
        // A read may say that it is paired, and that its mate is on no sequence.
        if (read.mateSequence < 0) {
            throw new UnsuitableException("a mapped mate without a place");
        }
        candidates.addPairedRead(read);
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
        candidates.addPair(left, right, mate, orientation,
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
