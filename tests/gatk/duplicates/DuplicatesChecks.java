package org.gklshim.gatk.duplicates.finding;

import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.DuplicateScoringStrategy;
import htsjdk.samtools.GenomicIndexUtil;
import htsjdk.samtools.SAMException;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SAMSequenceRecord;
import htsjdk.samtools.SAMValidationError;
import htsjdk.samtools.ValidationStringency;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.gklshim.NativeLibrary;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.duplicates.NativeRecords;
import org.gklshim.gatk.duplicates.RecordMethods;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.Places;
import org.gklshim.gatk.duplicates.reading.ReadGroups;
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
    private static final int MAX_LENGTH = 1 << 29;
    // The options of native code.
    private static final int SCORES_QUALITIES = 1;
    private static final int READS_NAMES = 1 << 1;
    private static final int PAIRS_IN_GROUPS = 1 << 2;
    private static final int IS_DUPLEX = 1 << 3;
    private static final String[] NO_TAGS = new String[4];
    /** The first ones are usual. */
    private static final String[] CIGARS = {"10M", "3H2S4M1D5M4S", "5S3I5M2H", "2M20N5=1X6S", null,
        "*", "5S", "10M5S3M", "0M3M", "4Q", "M", "10", "2P3M", "4M2P3M", "99999999999M"};
    private static final Places PLACES = new Places(header());
    private static final byte[] NO_LETTERS = {};
    /** Room for what is counted. */
    private static final long[] COUNTS = new long[12];

    private static RecordMethods methods;

    private DuplicatesChecks() {}

    public static void main(String[] arguments) throws Exception {
        methods = (RecordMethods) NativeLibrary.load().instance(NativeRecords.class.getName());
        checkNames();
        checkRows(new File(arguments[0]));
        checkMates();
        checkHashes();
        checkBins();
        checkSums();
        checkFaults();
        checkBarcodes();
        checkRuns();
    }

    /** Returns a header with three sequences of a million bases. */
    private static SAMFileHeader header() {
        SAMFileHeader header = new SAMFileHeader();
        for (String name : new String[] {"one", "two", "three"}) {
            header.addSequence(new SAMSequenceRecord(name, LENGTH));
        }
        return header;
    }

    /**
     * Opens a run with three sequences of a length. The read group of records without one has
     * number 0, and that of the records with "g", which is renamed, has number 1.
     */
    private static long open(int options, int length, String[] tags) {
        return methods.open(options, tags, new String[] {"one", "two", "three"},
                new int[] {length, length, length}, new String[] {null, "g", null},
                new String[] {null, "group", null}, new int[3], new int[] {0, 1, -1});
    }

    /** Returns a record. It is mapped to the first base of a sequence if there is a CIGAR. */
    private static byte[] record(int flags, int position, byte[] name, int[] cigar,
            byte[] qualities) {
        int length = qualities.length;
        int size = BamFormat.FIXED_SIZE + name.length + 1 + 4 * cigar.length + (length + 1) / 2
                + length;
        boolean hasMate = (flags & BamFormat.PAIRED) != 0;
        ByteBuffer record = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        record.putInt(size - 4).putInt(0).putInt(position - 1).put((byte) (name.length + 1))
                .put((byte) 0).putShort((short) 0).putShort((short) cigar.length)
                .putShort((short) flags).putInt(length).putInt(hasMate ? 0 : -1)
                .putInt(hasMate ? 0 : -1).putInt(0).put(name).put((byte) 0);
        Arrays.stream(cigar).forEach(record::putInt);
        record.position(size - length);
        return record.put(qualities).array();
    }

    private static BamRecords batch(List<byte[]> records) {
        int[] starts = new int[records.size() + 1];
        for (int k = 0; k < records.size(); k++) {
            starts[k + 1] = starts[k] + records.get(k).length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(starts[records.size()]);
        records.forEach(bytes::put);
        return new BamRecords(bytes.array(), starts, records.size(), 0);
    }

    /** Returns the rows of records, one after the other. */
    private static int[] rows(int options, List<byte[]> records) {
        return rows(options, records, NO_TAGS);
    }

    private static int[] rows(int options, List<byte[]> records, String[] tags) {
        BamRecords batch = batch(records);
        int[] rows = new int[batch.count * BatchRows.ROW];
        long run = open(options, LENGTH, tags);
        methods.readEnds(run, batch.bytes, batch.starts, null, rows);
        methods.close(run);
        return rows;
    }

    private static int get(int[] rows, int record, int number) {
        return rows[record * BatchRows.ROW + number];
    }

    private static void checkNames() {
        Random choice = new Random(1);
        OpticalDuplicateFinder finder = new OpticalDuplicateFinder();
        int located = 0;
        List<String> names = new ArrayList<>();
        for (int k = 0; k < 300000; k++) {
            StringBuilder text = new StringBuilder();
            for (int fieldsLeft = choice.nextInt(9); fieldsLeft > 0; fieldsLeft--) {
                text.append(choice.nextInt(8) > 0 ? "" + choice.nextInt(1 << choice.nextInt(31)) : "");
                text.append(choice.nextInt(9) == 0
                        ? "" + LETTERS.charAt(choice.nextInt(LETTERS.length())) : "");
                text.append(fieldsLeft > 1 ? ":" : "");
            }
            names.add(text.toString());
        }
        List<byte[]> records = new ArrayList<>();
        for (String name : names) {
            records.add(record(BamFormat.PAIRED | BamFormat.FIRST, 1, ReadGroups.bytes(name),
                    new int[] {1 << 4}, NO_LETTERS));
        }
        int[] rows = rows(READS_NAMES, records);
        for (int k = 0; k < names.size(); k++) {
            ReadEndsForMarkDuplicates place = new ReadEndsForMarkDuplicates();
            boolean expected = finder.addLocationInformation(names.get(k), place);
            boolean found = get(rows, k, BatchRows.IS_LOCATED) != 0;
            boolean isSame = found == expected && (!found
                    || (short) get(rows, k, BatchRows.TILE) == place.getTile()
                    && (short) get(rows, k, BatchRows.X) == (short) place.getX()
                    && (short) get(rows, k, BatchRows.Y) == (short) place.getY());
            if (!isSame || get(rows, k, BatchRows.KEY_HASH)
                    != methods.keyHash(ReadGroups.bytes(names.get(k)))) {
                throw new AssertionError(names.get(k) + " " + expected);
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
                spilled.add(hash, row);
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
            byte[] name = ReadGroups.bytes(":" + choice.nextInt(500));
            key.set(ReadGroups.bytes(group), name, 0, name.length, 0);
            // Few hashes, and few of their lowest bits.
            key.hash = (Arrays.hashCode(key.copy()) & 255) * 0x55555;
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
        read.place = PLACES.place(read.sequence, choice.nextInt(1 << 20) - 100);
        read.isReverse = choice.nextBoolean();
        read.index = choice.nextInt() & (1L << 40) - 1;
        read.score = (short) choice.nextInt();
        read.library = (short) choice.nextInt(1 << 15);
        read.group = (short) choice.nextInt();
        read.tile = (short) choice.nextInt();
        read.x = choice.nextInt();
        read.y = choice.nextInt();
        read.barcode = choice.nextInt();
        read.firstBarcode = choice.nextInt();
        read.secondBarcode = choice.nextInt();
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
            fromPicard.read(read.toPicard(PLACES), PLACES);
            isKept &= text(read).equals(text(fromPicard));
        }
        return isKept;
    }

    private static String text(ReadEnd read) {
        return Arrays.asList(read.sequence, read.place, read.isReverse, read.index,
                read.score, read.library, read.group, read.tile, read.x, read.y,
                read.barcode, read.firstBarcode, read.secondBarcode).toString();
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
        List<byte[]> records = new ArrayList<>();
        List<Integer> bins = new ArrayList<>();
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
            if (end <= MAX_LENGTH) {
                int element = record.span == 0 ? 1 << 4 | BamFormat.INSERTION : record.span << 4;
                int[] cigar = record.has(BamFormat.UNMAPPED) ? new int[0] : new int[] {element};
                records.add(record(record.flags, record.position, NO_LETTERS, cigar, NO_LETTERS));
                bins.add(expected);
            }
        }
        checkNativeBins(records, bins);
        System.out.println("bins: true");
    }

    private static void checkNativeBins(List<byte[]> records, List<Integer> bins) {
        BamRecords batch = batch(records);
        int count = batch.count;
        byte[] marked = new byte[batch.bytes.length + 100];
        int[] ends = new int[count];
        long run = open(0, MAX_LENGTH, NO_TAGS);
        methods.mark(run, batch.bytes, batch.starts, null, new byte[count], marked, ends, COUNTS);
        methods.close(run);
        for (int k = 0; k < count; k++) {
            int found = (short) (marked[batch.starts[k] + BamFormat.BIN] & 0xff
                    | marked[batch.starts[k] + BamFormat.BIN + 1] << 8);
            if (ends[k] != batch.starts[k + 1] || (short) (int) bins.get(k) != found) {
                throw new AssertionError(Arrays.toString(records.get(k)) + " " + bins.get(k));
            }
        }
    }

    private static void checkSums() {
        Random choice = new Random(6);
        List<byte[]> records = new ArrayList<>();
        List<Short> scores = new ArrayList<>();
        for (int k = 0; k < 20000; k++) {
            byte[] qualities = new byte[choice.nextInt(160)];
            choice.nextBytes(qualities);
            if (k < 3) {
                // More than one lane of 16 bits holds, and more than Java's integers.
                qualities = new byte[new int[] {4128, 100000, 17000000}[k]];
                Arrays.fill(qualities, (byte) 127);
            }
            SAMRecord record = new SAMRecord(null);
            record.setBaseQualities(qualities);
            short expected = DuplicateScoringStrategy.computeDuplicateScore(record,
                    DuplicateScoringStrategy.ScoringStrategy.SUM_OF_BASE_QUALITIES);
            boolean isMissing = qualities.length > 0 && qualities[0] == -1;
            scores.add(isMissing ? 0 : expected);
            // Sequences are not longer than a million bases, but inserted bases may be more.
            int element = Math.max(1, qualities.length) << 4 | BamFormat.INSERTION;
            records.add(record(0, 1, NO_LETTERS, new int[] {element}, qualities));
        }
        int[] rows = rows(SCORES_QUALITIES, records);
        for (int k = 0; k < scores.size(); k++) {
            int found = get(rows, k, BatchRows.SCORE);
            if (get(rows, k, BatchRows.KIND) != BatchRows.UNPAIRED || found != scores.get(k)) {
                throw new AssertionError(k + " " + found + " " + scores.get(k));
            }
        }
        System.out.println("sums: true");
    }

    /** htsjdk finds no fault in records that are not left to it, and finds many in others. */
    private static void checkFaults() {
        Random choice = new Random(7);
        SAMFileHeader header = header();
        BAMRecordCodec codec = new BAMRecordCodec(header);
        int usual = 0;
        int faulty = 0;
        List<byte[]> records = new ArrayList<>();
        for (int k = 0; k < 60000; k++) {
            records.add(randomRecord(choice));
        }
        int[] rows = rows(0, records);
        for (int k = 0; k < records.size(); k++) {
            boolean isUsual = get(rows, k, BatchRows.KIND) != BatchRows.UNUSUAL;
            String fault = fault(codec, records.get(k));
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

    /** Barcodes of two strands, and the names of molecules, are Picard's. It may throw. */
    private static void checkBarcodes() throws Exception {
        Random choice = new Random(8);
        SAMFileHeader header = header();
        BAMRecordCodec codec = new BAMRecordCodec(header);
        List<byte[]> records = new ArrayList<>();
        for (int k = 0; k < 60000; k++) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            codec.setOutputStream(bytes);
            codec.encode(barcodedRecord(choice, header));
            records.add(bytes.toByteArray());
        }
        BamRecords batch = batch(records);
        int count = batch.count;
        String[] tags = {"RX", "BX", "BY", "MI"};
        int[] rows = rows(IS_DUPLEX | PAIRS_IN_GROUPS, records, tags);
        int[] ends = new int[count];
        byte[] marks = new byte[count];
        long run = open(IS_DUPLEX, LENGTH, tags);
        byte[] marked = new byte[batch.bytes.length + count * (int) methods.growth(run)];
        methods.mark(run, batch.bytes, batch.starts, null, marks, marked, ends, COUNTS);
        methods.close(run);
        int hashOfMates = methods.keyHash(ReadGroups.bytes("groupr"));
        int[] found = new int[4];
        for (int k = 0; k < count; k++) {
            codec.setInputStream(new ByteArrayInputStream(records.get(k)));
            SAMRecord record = codec.decode();
            String expected = expectedBarcodes(record);
            String barcodes = get(rows, k, BatchRows.BARCODE) + " "
                    + get(rows, k, BatchRows.FIRST_BARCODE) + " "
                    + get(rows, k, BatchRows.SECOND_BARCODE);
            int kind = get(rows, k, BatchRows.KIND);
            if (kind != BatchRows.UNUSUAL && kind != BatchRows.SKIPPED
                    && !barcodes.equals(expected)
                    || kind == BatchRows.PAIRED && get(rows, k, BatchRows.KEY_HASH) != hashOfMates
                    || kind != BatchRows.UNUSUAL && kind != BatchRows.SKIPPED
                    && get(rows, k, BatchRows.GROUP) != 1) {
                throw new AssertionError(record.getSAMString() + expected + " " + barcodes);
            }
            found[kind == BatchRows.UNUSUAL ? 0 : 1]++;
            if (marks[k] == 0) {
                Object molecule = picards("setMolecularIdentifier", record, "", "MI", true) == null
                        ? record.getAttribute("MI") : null;
                int start = k == 0 ? 0 : ends[k - 1];
                codec.setInputStream(new ByteArrayInputStream(marked, start, ends[k] - start));
                Object named = codec.decode().getAttribute("MI");
                if (!named.equals(molecule)) {
                    throw new AssertionError(record.getSAMString() + named);
                }
            }
            found[marks[k] == 0 ? 3 : 2]++;
        }
        System.out.println("barcodes: " + (Arrays.stream(found).min().getAsInt() > 5000));
    }

    /** Threads use a run, which another one closes. Closed runs, and wrong ones, are refused. */
    private static void checkRuns() throws Exception {
        BamRecords batch = batch(Arrays.asList(
                record(0, 1, NO_LETTERS, new int[] {1 << 4}, NO_LETTERS)));
        for (int round = 0; round < 200; round++) {
            long run = open(0, LENGTH, NO_TAGS);
            List<Thread> threads = new ArrayList<>();
            List<Object> results = Collections.synchronizedList(new ArrayList<>());
            for (int k = 0; k < 3; k++) {
                threads.add(new Thread(() -> results.add(kindOrError(run, batch))));
            }
            threads.forEach(Thread::start);
            methods.close(run);
            methods.close(run);
            for (Thread thread : threads) {
                thread.join();
            }
            results.add(kindOrError(run, batch));
            results.removeIf(Integer.valueOf(BatchRows.UNPAIRED)::equals);
            results.removeIf("the run is not open"::equals);
            if (!results.isEmpty()) {
                throw new AssertionError(results.toString());
            }
        }
        for (long run : new long[] {0, -1, 1L << 40, Long.MIN_VALUE}) {
            if (!"the run is not open".equals(kindOrError(run, batch))) {
                throw new AssertionError("run " + run);
            }
        }
        System.out.println("runs: true");
    }

    /** Returns the kind of the only record of a batch, or the message of an error. */
    private static Object kindOrError(long run, BamRecords batch) {
        int[] rows = new int[BatchRows.ROW];
        try {
            methods.readEnds(run, batch.bytes, batch.starts, null, rows);
            return get(rows, 0, BatchRows.KIND);
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    /** Returns Picard's hashes, or null if it throws. */
    private static String expectedBarcodes(SAMRecord record) {
        try {
            boolean isSecond = record.getReadPairedFlag() && !record.getFirstOfPairFlag();
            Object barcode = picards("getTopStrandNormalizedUmi", record, "RX", true);
            if (barcode instanceof Exception) {
                return null;
            }
            String end = record.getStringAttribute(isSecond ? "BY" : "BX");
            int hash = end == null ? 0 : end.hashCode();
            return Objects.hash(barcode) + " " + (isSecond ? "0 " + hash : hash + " 0");
        } catch (SAMException e) {
            return null;
        }
    }

    /** Returns what a method of Picard's, which is not public, returns or throws. */
    private static Object picards(String name, Object... arguments) {
        try {
            return Members.callStatic(DuplicatesChecks.class.getClassLoader(),
                    "picard.sam.markduplicates.UmiUtil", name, arguments);
        } catch (RuntimeException e) {
            return e;
        }
    }

    private static SAMRecord barcodedRecord(Random choice, SAMFileHeader header) {
        SAMRecord record = new SAMRecord(header);
        record.setReadName("r");
        record.setAttribute("RG", "g");
        record.setReferenceIndex(choice.nextInt(2));
        record.setAlignmentStart(100 + choice.nextInt(20));
        record.setCigarString(CIGARS[choice.nextInt(4)]);
        record.setReadNegativeStrandFlag(choice.nextBoolean());
        if (choice.nextInt(8) == 0) {
            record.setReadUnmappedFlag(true);
            record.setCigarString("*");
        }
        if (choice.nextInt(8) > 0) {
            record.setReadPairedFlag(true);
            record.setFirstOfPairFlag(choice.nextBoolean());
            record.setSecondOfPairFlag(!record.getFirstOfPairFlag() || choice.nextInt(8) == 0);
            record.setMateReferenceIndex(choice.nextInt(2));
            record.setMateAlignmentStart(100 + choice.nextInt(20));
            record.setMateNegativeStrandFlag(choice.nextBoolean());
            record.setMateUnmappedFlag(choice.nextInt(8) == 0);
        }
        String cigar = CIGARS[choice.nextInt(choice.nextBoolean() ? 4 : CIGARS.length)];
        record.setAttribute("MC", cigar);
        StringBuilder barcode = new StringBuilder();
        for (int left = choice.nextInt(7); left > 0; left--) {
            barcode.append("ACGTNacgtn---".charAt(choice.nextInt(13)));
        }
        barcode.append(choice.nextInt(20) == 0 ? "x" : "");
        if (choice.nextInt(4) > 0) {
            record.setAttribute("RX", choice.nextInt(3) > 0 ? "AC-GT" : barcode.toString());
        }
        for (String tag : new String[] {"BX", "BY"}) {
            int kind = choice.nextInt(40);
            record.setAttribute(tag, kind == 0 ? (Object) 3 : kind == 1 ? (Object) 'c'
                    : kind < 9 ? null : kind < 15 ? "" : kind == 15 ? "\u00e4" : "b" + kind);
        }
        return record;
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
