package org.gklshim.gatk.duplicates;

import static org.gklshim.gatk.duplicates.BamRecords.integer;
import static org.gklshim.gatk.duplicates.BamRecords.unsignedByte;
import static org.gklshim.gatk.duplicates.BamRecords.unsignedShort;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.Log;
import htsjdk.samtools.util.ProgressLogger;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.gklshim.gatk.Members;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.util.LibraryIdGenerator;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** Collects the ends of reads in the order of the file, and brings mates together. */
final class ReadEndCollector {
    private static final byte FORWARD = 0;
    private static final byte REVERSE = 1;
    private static final byte FF = 2;
    private static final byte FR = 3;
    private static final byte RR = 4;
    private static final byte RF = 5;
    private static final int PROGRESS = 1000 * 1000;

    private final MarkDuplicates tool;
    private final MarkingOptions options;
    private final SAMFileHeader header;
    private final ReadGroups groups;
    private final Genome genome;
    private final ReadEndStore store;
    private final MateMatcher mates;
    private final UnusualRecords unusual;
    private final OpticalDuplicateFinder finder;
    private final LibraryIdGenerator generator;
    private final Set<String> programs;
    private final Log log;
    private final ProgressLogger progress;
    /** The number that Picard gives to the library of each read group. 0 until it is asked for. */
    private final short[] libraries;
    private boolean hasWarned;
    private volatile boolean isDone;
    private long count;

    @SuppressWarnings("unchecked")
    ReadEndCollector(MarkDuplicates tool, MarkingOptions options, SAMFileHeader header,
            ReadGroups groups, Genome genome, ReadEndStore store, UnusualRecords unusual,
            LibraryIdGenerator generator, Log log) {
        this.tool = tool;
        this.options = options;
        this.header = header;
        this.groups = groups;
        this.genome = genome;
        this.store = store;
        this.unusual = unusual;
        this.generator = generator;
        this.log = log;
        mates = new MateMatcher(options.isGrouped, tool.MAX_FILE_HANDLES_FOR_READ_ENDS_MAP);
        finder = (OpticalDuplicateFinder) Members.get(tool, "opticalDuplicateFinder");
        programs = (Set<String>) Members.get(tool, "pgIdsSeen");
        progress = new ProgressLogger(log, PROGRESS, "Read");
        libraries = new short[groups.count()];
    }

    /** Returns whether no further record counts. */
    boolean isDone() {
        return isDone;
    }

    /** Returns how many records were read. */
    long count() {
        return count;
    }

    /** Returns how many reads have no mate. */
    int unmatched() {
        return mates.size();
    }

    void add(ReadEndsOfBatch ends) {
        if (isDone) {
            return;
        }
        Iterator<Map.Entry<String, Integer>> batchPrograms = ends.programs.entrySet().iterator();
        Map.Entry<String, Integer> program = batchPrograms.hasNext() ? batchPrograms.next() : null;
        for (int k = 0; k < ends.count && !isDone; k++) {
            // The order of the records decides the order of new programs in the header.
            if (program != null && program.getValue() == k) {
                programs.add(program.getKey());
                program = batchPrograms.hasNext() ? batchPrograms.next() : null;
            }
            add(ends, k);
        }
        store.spillIfFull();
    }

    private void add(ReadEndsOfBatch ends, int k) {
        byte[] bytes = ends.records.bytes;
        int start = ends.records.starts[k];
        long index = ends.records.markedIndex(k);
        int sequence = integer(bytes, start + 4);
        if (ends.kinds[k] == ReadEndsOfBatch.UNUSUAL) {
            addUnusual(unusual.decode(ends.records, k), index);
        } else if (ends.kinds[k] != ReadEndsOfBatch.SKIPPED) {
            addMapped(ends, k, index);
        } else {
            isDone = ends.isLast && k == ends.count - 1;
        }
        if (!isDone) {
            count++;
            if (progress.record(sequence < 0 ? null : genome.names[sequence],
                    sequence < 0 ? 0 : integer(bytes, start + 8) + 1)) {
                log.info("Tracking " + mates.size() + " as yet unmatched pairs. "
                        + mates.sizeInMemory() + " records in RAM.");
            }
        }
    }

    private void addMapped(ReadEndsOfBatch ends, int k, long index) {
        byte[] bytes = ends.records.bytes;
        int start = ends.records.starts[k];
        int flags = unsignedShort(bytes, start + 18);
        boolean isReverse = (flags & RecordView.REVERSE) != 0;
        ReadEndsForMarkDuplicates read = new ReadEndsForMarkDuplicates();
        read.read1ReferenceIndex = integer(bytes, start + 4);
        read.read1Coordinate = ends.coordinates[k];
        read.orientation = isReverse ? REVERSE : FORWARD;
        read.read1IndexInFile = index;
        read.score = ends.scores[k];
        boolean isPaired = ends.kinds[k] == ReadEndsOfBatch.PAIRED;
        if (isPaired) {
            read.read2ReferenceIndex = integer(bytes, start + 24);
        }
        read.libraryId = library(ends.groups[k]);
        if (isLocated(ends, k, read)) {
            read.readGroup = (short) (ends.groups[k] == groups.none() ? 0 : ends.groups[k]);
        }
        add(read, isPaired, ends.keys[k], (flags & RecordView.FIRST) != 0, ends.groups[k]);
    }

    private short library(int group) {
        if (libraries[group] == 0) {
            libraries[group] = generator.getLibraryId(groups.record(group));
            if (libraries[group] < 0) {
                throw new Unsuitable("the number of libraries");
            }
        }
        return libraries[group];
    }

    private boolean isLocated(ReadEndsOfBatch ends, int k, ReadEndsForMarkDuplicates read) {
        if (ends.locations[k] == ReadEndsOfBatch.LOCATED) {
            read.setTile(ends.tiles[k]);
            read.setX(ends.x[k]);
            read.setY(ends.y[k]);
            return true;
        }
        if (ends.locations[k] == ReadEndsOfBatch.NOWHERE || hasWarned) {
            return false;
        }
        // With its own pattern for names, Picard warns of the first name that is different.
        hasWarned = options.names == MarkingOptions.Names.DEFAULT;
        int start = ends.records.starts[k] + BamRecords.FIXED_SIZE;
        int length = unsignedByte(ends.records.bytes, start - BamRecords.FIXED_SIZE + 12) - 1;
        return finder.addLocationInformation(new String(ends.records.bytes, start, length,
                StandardCharsets.ISO_8859_1), read);
    }

    /** Does for a record what Picard does. */
    private void addUnusual(SAMRecord record, long index) {
        if (options.hasProgram) {
            programs.add(record.getStringAttribute("PG"));
        }
        if (record.getReadUnmappedFlag()) {
            isDone = record.getReferenceIndex() == -1 && !options.isGrouped;
            return;
        }
        if (record.isSecondaryOrSupplementary()) {
            return;
        }
        ReadEndsForMarkDuplicates read = (ReadEndsForMarkDuplicates) Members.call(tool,
                "buildReadEnds", header, index, record, false);
        boolean isPaired = record.getReadPairedFlag() && !record.getMateUnmappedFlag();
        String key = null;
        if (isPaired) {
            key = record.getReadName();
            if (options.pairsWithinGroups) {
                key = record.getReadGroup().getReadGroupId() + key;
            }
        }
        add(read, isPaired, key, isPaired && record.getFirstOfPairFlag(), -1);
    }

    private void add(ReadEndsForMarkDuplicates read, boolean isPaired, String key, boolean isFirst,
            int group) {
        boolean isReverse = read.orientation == REVERSE;
        long place = store.key(read.libraryId, read.read1ReferenceIndex, read.read1Coordinate,
                isReverse);
        if (!isPaired) {
            store.addUnpaired(place, read.getTile(), read.getX(), read.getY(),
                    read.read1IndexInFile, read.score);
            return;
        }
        // A read may say that it is paired, and that its mate is on no sequence.
        if (read.read2ReferenceIndex < 0) {
            throw new Unsuitable("a mapped mate without a place");
        }
        if (options.pairsWithinGroups && group == groups.none()) {
            throw new Unsuitable("a pair without a read group");
        }
        store.addPairedRead(place);
        ReadEndsForMarkDuplicates pair = mates.remove(read.read1ReferenceIndex, key);
        if (pair == null) {
            mates.put(key, read);
        } else {
            join(pair, read, isFirst);
            store.addPair(pair);
        }
    }

    /** Makes a pair of the read that came first, and of its mate. */
    private static void join(ReadEndsForMarkDuplicates pair, ReadEndsForMarkDuplicates mate,
            boolean isMateFirst) {
        boolean isReverse = pair.orientation == REVERSE;
        boolean isMateReverse = mate.orientation == REVERSE;
        pair.orientationForOpticalDuplicates = isMateFirst
                ? orientation(isMateReverse, isReverse) : orientation(isReverse, isMateReverse);
        boolean isMateBehind = mate.read1ReferenceIndex > pair.read1ReferenceIndex
                || mate.read1ReferenceIndex == pair.read1ReferenceIndex
                && mate.read1Coordinate >= pair.read1Coordinate;
        if (isMateBehind) {
            pair.read2ReferenceIndex = mate.read1ReferenceIndex;
            pair.read2Coordinate = mate.read1Coordinate;
            pair.read2IndexInFile = mate.read1IndexInFile;
            pair.orientation = orientation(isReverse, isMateReverse);
            // Two ends at one place have one orientation, whichever comes first.
            if (pair.orientation == RF && pair.read2ReferenceIndex == pair.read1ReferenceIndex
                    && pair.read2Coordinate == pair.read1Coordinate) {
                pair.orientation = FR;
            }
        } else {
            pair.read2ReferenceIndex = pair.read1ReferenceIndex;
            pair.read2Coordinate = pair.read1Coordinate;
            pair.read2IndexInFile = pair.read1IndexInFile;
            pair.read1ReferenceIndex = mate.read1ReferenceIndex;
            pair.read1Coordinate = mate.read1Coordinate;
            pair.read1IndexInFile = mate.read1IndexInFile;
            pair.orientation = orientation(isMateReverse, isReverse);
        }
        pair.score += mate.score;
    }

    private static byte orientation(boolean isFirstReverse, boolean isSecondReverse) {
        if (isFirstReverse) {
            return isSecondReverse ? RR : RF;
        }
        return isSecondReverse ? FR : FF;
    }
}
