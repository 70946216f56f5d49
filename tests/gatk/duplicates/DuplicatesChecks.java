package org.gklshim.gatk.duplicates.finding;

import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.DuplicateScoringStrategy;
import htsjdk.samtools.GenomicIndexUtil;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SAMSequenceRecord;
import htsjdk.samtools.SAMValidationError;
import htsjdk.samtools.ValidationStringency;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.gklshim.gatk.duplicates.reading.Genome;
import org.gklshim.gatk.duplicates.reading.TextValues;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.BamRecord;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/**
 * Compares names with Picard's parser, bins, scores and faults with htsjdk's, rows from temporary
 * files with those from memory, and our tables with Java's.
 */
public final class DuplicatesChecks {
    private static final String LETTERS = "0123456789:::---aZ# ";
    private static final int LENGTH = 1 << 20;
    private static final Genome GENOME = new Genome(header());

    private DuplicatesChecks() {}

    public static void main(String[] arguments) throws Exception {
        checkNames();
        checkRows(new File(arguments[0]));
        checkMates();
        checkHashes();
        checkBins();
        checkSums();
        checkFaults();
    }

    /** Returns a header with three sequences of a million bases. */
    private static SAMFileHeader header() {
        SAMFileHeader header = new SAMFileHeader();
        for (String name : new String[] {"one", "two", "three"}) {
            header.addSequence(new SAMSequenceRecord(name, LENGTH));
        }
        return header;
    }

    private static void checkNames() {
        Random choice = new Random(1);
        OpticalDuplicateFinder finder = new OpticalDuplicateFinder();
        int located = 0;
        int[] fields = new int[3];
        for (int k = 0; k < 300000; k++) {
            StringBuilder text = new StringBuilder();
            for (int fieldsLeft = choice.nextInt(9); fieldsLeft > 0; fieldsLeft--) {
                text.append(choice.nextInt(8) > 0 ? "" + choice.nextInt(1 << choice.nextInt(31)) : "");
                text.append(choice.nextInt(9) == 0
                        ? "" + LETTERS.charAt(choice.nextInt(LETTERS.length())) : "");
                text.append(fieldsLeft > 1 ? ":" : "");
            }
            String name = text.toString();
            ReadEndsForMarkDuplicates place = new ReadEndsForMarkDuplicates();
            boolean expected = finder.addLocationInformation(name, place);
            byte[] bytes = ("xy" + name).getBytes(StandardCharsets.ISO_8859_1);
            boolean found = ReadEndsReader.readFields(bytes, 2, name.length(), fields);
            boolean isSame = found == expected && (!found || (short) fields[0] == place.getTile()
                    && (short) fields[1] == (short) place.getX()
                    && (short) fields[2] == (short) place.getY());
            if (!isSame) {
                throw new AssertionError(name + " " + expected + " " + Arrays.toString(fields));
            }
            located += found ? 1 : 0;
        }
        System.out.println("names: " + (located > 20000 && located < 250000));
    }

    private static void checkRows(File folder) throws Exception {
        Random choice = new Random(2);
        for (int width : new int[] {1, 4, 5}) {
            Partitions spilled = new Partitions(width);
            List<List<Long>> expected = new ArrayList<>();
            for (int k = 0; k < Partitions.COUNT; k++) {
                expected.add(new ArrayList<>());
            }
            for (int k = 0; k < 100000; k++) {
                long hash = choice.nextLong();
                long[] row = choice.longs(5).toArray();
                spilled.add(hash, row[0], row[1], row[2], row[3], row[4]);
                for (int word = 0; word < width; word++) {
                    expected.get((int) (hash >>> 58)).add(row[word]);
                }
                if (choice.nextInt(20000) == 0) {
                    spilled.spill(folder);
                }
            }
            for (int k = 0; k < Partitions.COUNT; k++) {
                long[] words = spilled.take(k);
                if (!expected.get(k).equals(boxed(words))) {
                    throw new AssertionError("partition " + k + " of rows of " + width);
                }
            }
            System.out.println("rows of " + width + ", files left: " + folder.list().length);
        }
    }

    /** Keys of few letters meet in one slot, come again, and share hashes that are not theirs. */
    private static void checkMates() {
        Random choice = new Random(3);
        PendingReads pending = new PendingReads();
        Map<String, Long> expected = new HashMap<>();
        MateKey key = new MateKey();
        ReadEnd read = new ReadEnd();
        int found = 0;
        for (int k = 0; k < 300000; k++) {
            String group = choice.nextBoolean() ? "" : "g" + choice.nextInt(3);
            byte[] name = TextValues.bytes(":" + choice.nextInt(500));
            key.set(TextValues.bytes(group), name);
            key.hash = (key.hash & 255) * 0x5555555555L;
            int sequence = choice.nextInt(2);
            String plain = sequence + group + new String(name, StandardCharsets.ISO_8859_1);
            if (choice.nextInt(5) < 2) {
                fill(choice, read);
                read.index = k;
                read.mateSequence = sequence;
                pending.put(key, read);
                expected.put(plain, (long) k);
            } else {
                Long index = expected.remove(plain);
                boolean isFound = pending.remove(sequence, key, read);
                if (isFound != (index != null) || isFound && read.index != index) {
                    throw new AssertionError(plain + " " + index + " " + read.index);
                }
                found += isFound ? 1 : 0;
            }
            if (choice.nextInt(30000) == 0) {
                pending.clear();
                expected.clear();
            }
            if (pending.size() != expected.size()) {
                throw new AssertionError(pending.size() + " " + expected.size());
            }
        }
        System.out.println("mates: " + (found > 10000 && isReadKept(choice)));
    }

    private static void fill(Random choice, ReadEnd read) {
        read.sequence = choice.nextInt(3);
        read.place = GENOME.place(read.sequence, choice.nextInt(1 << 20) - 100);
        read.isReverse = choice.nextBoolean();
        read.index = choice.nextInt() & (1L << 40) - 1;
        read.score = (short) choice.nextInt();
        read.library = (short) choice.nextInt(1 << 15);
        read.group = (short) choice.nextInt();
        read.tile = (short) choice.nextInt();
        read.x = choice.nextInt();
        read.y = choice.nextInt();
    }

    /** Returns whether reads come back as they were, from words and from Picard's objects. */
    private static boolean isReadKept(Random choice) {
        boolean isKept = true;
        for (int k = 0; k < 1000; k++) {
            ReadEnd read = new ReadEnd();
            fill(choice, read);
            ReadEnd fromWords = new ReadEnd();
            long[] words = new long[ReadEnd.WORDS + 1];
            read.write(words, 1);
            fromWords.read(words, 1);
            fromWords.sequence = read.sequence;
            isKept &= text(read).equals(text(fromWords));
            // Picard 3.4.0 has 16 bits for these.
            read.x = (short) read.x;
            read.y = (short) read.y;
            ReadEnd fromPicard = new ReadEnd();
            fromPicard.read(read.toPicard(GENOME), GENOME);
            isKept &= text(read).equals(text(fromPicard));
        }
        return isKept;
    }

    private static String text(ReadEnd read) {
        return Arrays.asList(read.sequence, read.place, read.isReverse, read.index,
                read.score, read.library, read.group, read.tile, read.x, read.y).toString();
    }

    private static void checkHashes() {
        Random choice = new Random(4);
        for (int size : new int[] {0, 1, 2, 100, 5000}) {
            long[] hashes = choice.longs(size, 0, Math.max(1, size)).toArray();
            Map<Long, List<Integer>> expected = new HashMap<>();
            for (int row = 0; row < size; row++) {
                expected.computeIfAbsent(hashes[row], k -> new ArrayList<>()).add(row);
            }
            expected.values().removeIf(rows -> rows.size() == 1);
            RowsByHash rows = new RowsByHash(hashes);
            Map<Long, List<Integer>> found = new HashMap<>();
            int inSets = 0;
            for (int k = 0; k < rows.sets(); k++) {
                List<Integer> set = new ArrayList<>();
                Arrays.stream(rows.set(k)).forEach(set::add);
                found.put(hashes[set.get(0)], set);
                inSets += set.size();
            }
            if (!found.equals(expected) || rows.alone() != size - inSets) {
                throw new AssertionError("hashes of " + size + " rows");
            }
        }
        System.out.println("hashes: true");
    }

    private static void checkBins() {
        Random choice = new Random(5);
        BamRecord record = new BamRecord(new int[0]);
        for (int k = 0; k < 300000; k++) {
            record.flags = choice.nextInt(4) == 0 ? BamFormat.UNMAPPED : 0;
            record.span = choice.nextInt(1 << choice.nextInt(28)) - choice.nextInt(2);
            record.span = Math.max(0, record.span);
            int border = choice.nextInt(1 << 15) << 14;
            record.position = 1 + (choice.nextBoolean() ? choice.nextInt(1 << choice.nextInt(29))
                    : Math.max(0, border - choice.nextInt(300)));
            int end = record.has(BamFormat.UNMAPPED) ? 0 : record.position + record.span - 1;
            int expected = GenomicIndexUtil.regionToBin(record.position - 1,
                    end <= 0 ? record.position : end);
            if (record.bin() != expected) {
                throw new AssertionError(record.position + " " + record.span + " " + expected);
            }
        }
        System.out.println("bins: true");
    }

    private static void checkSums() {
        Random choice = new Random(6);
        for (int k = 0; k < 100000; k++) {
            byte[] qualities = new byte[choice.nextInt(160)];
            choice.nextBytes(qualities);
            SAMRecord record = new SAMRecord(null);
            record.setBaseQualities(qualities);
            short expected = DuplicateScoringStrategy.computeDuplicateScore(record,
                    DuplicateScoringStrategy.ScoringStrategy.SUM_OF_BASE_QUALITIES);
            int start = choice.nextInt(9);
            byte[] bytes = new byte[start + qualities.length + 9];
            Arrays.fill(bytes, (byte) 99);
            System.arraycopy(qualities, 0, bytes, start, qualities.length);
            int found = ReadEndsReader.sum(bytes, start, start + qualities.length);
            if (found != expected) {
                throw new AssertionError(found + " " + Arrays.toString(qualities));
            }
        }
        System.out.println("sums: true");
    }

    /** htsjdk finds no fault in records that are not left to it, and finds many in others. */
    private static void checkFaults() {
        Random choice = new Random(7);
        SAMFileHeader header = header();
        BAMRecordCodec codec = new BAMRecordCodec(header);
        BamRecord record = new BamRecord(new int[] {LENGTH, LENGTH, LENGTH});
        int usual = 0;
        int faulty = 0;
        for (int k = 0; k < 60000; k++) {
            byte[] bytes = randomRecord(choice);
            boolean isUsual = record.parse(bytes, 0, bytes.length) && record.isValid()
                    && record.parseTags();
            String fault = fault(codec, bytes);
            if (isUsual && fault != null) {
                throw new AssertionError(fault);
            }
            usual += isUsual ? 1 : 0;
            faulty += fault != null ? 1 : 0;
        }
        System.out.println("faults: " + (usual > 3000 && faulty > 3000));
    }

    /** Returns a fault that htsjdk finds in a record, or null. */
    private static String fault(BAMRecordCodec codec, byte[] bytes) {
        codec.setInputStream(new ByteArrayInputStream(bytes));
        try {
            SAMRecord record = codec.decode();
            record.setValidationStringency(ValidationStringency.STRICT);
            List<SAMValidationError> errors = record.isValid(true);
            return errors == null || errors.isEmpty() ? null
                    : record.getSAMString() + errors.get(0);
        } catch (RuntimeException e) {
            return e.toString();
        }
    }

    /** Returns a record whose fields are right or wrong by chance, and have little to do with it. */
    private static byte[] randomRecord(Random choice) {
        int flags = choice.nextInt(1 << 12) & choice.nextInt(1 << 12);
        flags = choice.nextInt(3) == 0 ? flags & ~0xeb : flags | (choice.nextBoolean() ? 0x41 : 0);
        int[] cigar = new int[(flags & BamFormat.UNMAPPED) != 0 ? 0 : choice.nextInt(6)];
        int length = 0;
        for (int k = 0; k < cigar.length; k++) {
            int operator = choice.nextInt(30) == 0 ? choice.nextInt(16)
                    : choice.nextInt(3) == 0 ? choice.nextInt(6) : BamFormat.MATCH;
            int size = choice.nextInt(50) == 0 ? 0 : 1 + choice.nextInt(9);
            cigar[k] = size << 4 | operator;
            length += BamRecord.consumesRead(operator) ? size : 0;
        }
        length = choice.nextInt(8) == 0 ? choice.nextInt(20) : length;
        boolean hasMate = (flags & BamFormat.PAIRED) != 0 && choice.nextInt(9) > 0;
        boolean isPlaced = cigar.length > 0 || choice.nextInt(9) == 0;
        int size = BamFormat.FIXED_SIZE + 2 + 4 * cigar.length + (length + 1) / 2 + length;
        ByteBuffer record = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        record.putInt(size - 4).putInt(isPlaced ? choice.nextInt(3) : -1)
                .putInt(isPlaced ? randomPosition(choice) : -1)
                .put((byte) 2).put((byte) (isPlaced ? choice.nextInt(256) : 0))
                .putShort((short) 4681).putShort((short) cigar.length).putShort((short) flags)
                .putInt(length).putInt(hasMate ? choice.nextInt(3) : -1)
                .putInt(hasMate ? randomPosition(choice) : -1)
                .putInt(choice.nextInt(20) == 0 ? choice.nextInt() : choice.nextInt(900) - 400)
                .put((byte) 'r').put((byte) 0);
        for (int element : cigar) {
            record.putInt(element);
        }
        while (record.hasRemaining()) {
            record.put((byte) choice.nextInt(60));
        }
        return record.array();
    }

    private static int randomPosition(Random choice) {
        return choice.nextInt(20) == 0 ? LENGTH - choice.nextInt(30) + 10 : choice.nextInt(1000);
    }

    private static List<Long> boxed(long[] words) {
        List<Long> list = new ArrayList<>();
        for (long word : words) {
            list.add(word);
        }
        return list;
    }
}
