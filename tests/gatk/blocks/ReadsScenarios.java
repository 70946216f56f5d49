import com.intel.gkl.compression.IntelDeflaterFactory;
import com.intel.gkl.compression.IntelInflaterFactory;
import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMFileHeader.SortOrder;
import htsjdk.samtools.SAMFileWriter;
import htsjdk.samtools.SAMFileWriterFactory;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SAMRecordIterator;
import htsjdk.samtools.SAMSequenceRecord;
import htsjdk.samtools.SamInputResource;
import htsjdk.samtools.SamReader;
import htsjdk.samtools.SamReaderFactory;
import htsjdk.samtools.ValidationStringency;
import htsjdk.samtools.util.BlockCompressedInputStream;
import htsjdk.samtools.util.BlockCompressedOutputStream;
import htsjdk.samtools.util.zip.DeflaterFactory;
import htsjdk.samtools.util.zip.InflaterFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Writes and reads files with htsjdk in many ways. Each way gives a line of text. */
public final class ReadsScenarios {
    private static final int[] LENGTHS = {500_000, 200_000, 16_400};

    private final Path folder;
    private final List<String> lines = new ArrayList<>();
    private int files;

    private ReadsScenarios(Path folder) {
        this.folder = folder;
    }

    /** Returns a line for each way, without the folder's name. */
    public static List<String> run(String folder) throws Exception {
        ReadsScenarios scenarios = new ReadsScenarios(Paths.get(folder));
        scenarios.compressedFiles();
        scenarios.failingStreams();
        scenarios.indexedFiles();
        scenarios.damagedFiles();
        scenarios.places();
        scenarios.atOnce();
        return scenarios.lines;
    }

    private void add(String name, Callable<String> scenario) {
        lines.add(name + ": " + outcome(scenario).replace(folder.toString(), "FOLDER"));
    }

    private static String outcome(Callable<String> scenario) {
        try {
            return scenario.call();
        } catch (Throwable e) {
            StringBuilder text = new StringBuilder("threw");
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                text.append(' ').append(cause);
            }
            return text.toString();
        }
    }

    private File newFile(String ending) {
        return folder.resolve(files++ + ending).toFile();
    }

    private static String digest(byte[] bytes) {
        return bytes.length + " " + Integer.toHexString(Arrays.hashCode(bytes));
    }

    private static String digest(File file) throws IOException {
        return file.exists() ? digest(Files.readAllBytes(file.toPath())) : "absent";
    }

    private static DeflaterFactory deflaters(boolean isIntel) {
        return isIntel ? new IntelDeflaterFactory() : new DeflaterFactory();
    }

    private static byte[] content(Random random, int length, int letters) {
        byte[] bytes = new byte[length];
        for (int k = 0; k < length; k++) {
            bytes[k] = (byte) random.nextInt(letters);
        }
        return bytes;
    }

    private void compressedFiles() {
        Random random = new Random(1);
        int block = 65498;
        int[] lengths = {0, 1, block - 1, block, block + 1, 3 * block, 700_000};
        for (int length : lengths) {
            for (int letters : new int[] {1, 4, 256}) {
                byte[] bytes = content(random, length, letters);
                boolean isIntel = random.nextBoolean();
                int level = random.nextInt(isIntel ? 9 : 10) + (isIntel ? 1 : 0);
                long seed = random.nextLong();
                for (String kind : new String[] {"plain", "flushed", "asked", "indexed"}) {
                    add(kind + " " + length + " " + letters + " " + isIntel + level,
                            () -> compressed(kind, bytes, isIntel, level, new Random(seed)));
                }
            }
        }
    }

    private String compressed(String kind, byte[] bytes, boolean isIntel, int level, Random random)
            throws IOException {
        File file = newFile(".gz");
        ByteArrayOutputStream index = new ByteArrayOutputStream();
        StringBuilder result = new StringBuilder();
        try (BlockCompressedOutputStream out =
                new BlockCompressedOutputStream(file, level, deflaters(isIntel))) {
            if (kind.equals("indexed")) {
                out.addIndexer(index);
            }
            int done = 0;
            while (done < bytes.length) {
                int next = Math.min(bytes.length - done, random.nextInt(30_000));
                if (next == 7) {
                    out.write(bytes[done]);
                    next = 1;
                } else {
                    out.write(bytes, done, next);
                }
                done += next;
                if (kind.equals("flushed") && random.nextInt(9) == 0) {
                    out.flush();
                }
                if (kind.equals("asked") && random.nextInt(9) == 0) {
                    result.append(out.getFilePointer()).append(' ');
                }
            }
            if (kind.equals("indexed") && random.nextBoolean()) {
                out.addIndexer(index);
            }
        }
        return result + digest(file) + " " + digest(index.toByteArray());
    }

    /** A full disk, or a pipe that nobody reads. */
    private static final class Full extends OutputStream {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final boolean isOnce;
        private int limit;

        /** @param isOnce whether one block finds no room, and then there is room again */
        Full(int limit, boolean isOnce) {
            this.limit = limit;
            this.isOnce = isOnce;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            // A block begins with this byte.
            if (isOnce && bytes.size() >= limit && from[offset] == 31) {
                limit = Integer.MAX_VALUE;
                throw new IOException("full once");
            }
            int free = isOnce ? length : Math.min(length, limit - bytes.size());
            bytes.write(from, offset, free);
            if (free < length) {
                throw new IOException("full");
            }
        }
    }

    /** Returns whether a compressed file has bytes from the first one on, without a gap. */
    private static boolean isStart(byte[] file, byte[] bytes) throws IOException {
        try (InputStream in = new BlockCompressedInputStream(new ByteArrayInputStream(file))) {
            byte[] found = new byte[bytes.length];
            int length = in.read(found);
            return length > 0 && Arrays.equals(Arrays.copyOf(found, length),
                    Arrays.copyOf(bytes, length));
        }
    }

    private void failingStreams() {
        Random random = new Random(2);
        // Few blocks, so that it is often close() that fails.
        byte[] bytes = content(random, 600_000, 60);
        for (int limit : new int[] {0, 10, 60_000, 200_000, 400_000}) {
            for (boolean isOnce : new boolean[] {false, true}) {
                add("full at " + limit + isOnce, () -> {
                    Full full = new Full(limit, isOnce);
                    BlockCompressedOutputStream out = new BlockCompressedOutputStream(full,
                            (File) null, 2, new IntelDeflaterFactory());
                    String result = outcome(() -> {
                        for (int k = 0; k < bytes.length; k += 10_000) {
                            out.write(bytes, k, 10_000);
                        }
                        out.close();
                        return "written";
                    }) + outcome(() -> {
                        out.close();
                        return "closed";
                    });
                    byte[] file = full.bytes.toByteArray();
                    // How much was written before the exception depends on the threads.
                    return result + (isOnce ? isStart(file, bytes) : digest(file));
                });
            }
            add("BAM full at " + limit, () -> {
                Full full = new Full(limit, false);
                SAMFileHeader header = header(SortOrder.unsorted, 0);
                SAMFileWriter writer = new SAMFileWriterFactory().makeBAMWriter(header, true, full);
                return outcome(() -> {
                    for (SAMRecord each : records(header, 8_000, 3)) {
                        writer.addAlignment(each);
                    }
                    writer.close();
                    return "written";
                }) + digest(full.bytes.toByteArray());
            });
        }
        add("full device", () -> {
            SAMFileHeader header = header(SortOrder.coordinate, 0);
            SAMFileWriter writer = new SAMFileWriterFactory().setUseAsyncIo(true)
                    .makeBAMWriter(header, true, new File("/dev/full"));
            for (SAMRecord each : records(header, 8_000, 3)) {
                writer.addAlignment(each);
            }
            writer.close();
            return "written";
        });
        add("interrupted", () -> {
            ByteArrayOutputStream sink = new ByteArrayOutputStream();
            Thread.currentThread().interrupt();
            try (BlockCompressedOutputStream out =
                    new BlockCompressedOutputStream(sink, (File) null)) {
                out.write(bytes);
            }
            return Thread.interrupted() + " " + digest(sink.toByteArray());
        });
    }

    private static SAMFileHeader header(SortOrder order, int comments) {
        SAMFileHeader header = new SAMFileHeader();
        for (int k = 0; k < LENGTHS.length; k++) {
            header.addSequence(new SAMSequenceRecord("chr" + k, LENGTHS[k]));
        }
        for (int k = 0; k < comments; k++) {
            header.addComment("a comment " + k);
        }
        header.setSortOrder(order);
        return header;
    }

    /** Returns records in order: of all sequences, unmapped ones at their mates' places and at the end. */
    private static List<SAMRecord> records(SAMFileHeader header, int count, long seed) {
        Random random = new Random(seed);
        List<SAMRecord> records = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            SAMRecord record = new SAMRecord(header);
            record.setReadName("read" + k + ":" + random.nextInt(1000));
            int length = random.nextInt(500) == 0 ? random.nextInt(150_000) : random.nextInt(300);
            byte[] bases = new byte[length];
            for (int b = 0; b < length; b++) {
                bases[b] = (byte) "ACGT".charAt(random.nextInt(4));
            }
            record.setReadBases(bases);
            record.setBaseQualities(content(random, length, 40));
            record.setAttribute("XX", random.nextInt());
            int sequence = 4 * k / count;
            if (sequence < 3) {
                record.setReferenceIndex(sequence);
                int from = 4 * k - sequence * count;
                int start = 1 + (int) ((long) from * (LENGTHS[sequence] - 301) / count);
                record.setAlignmentStart(start);
                record.setMappingQuality(random.nextInt(61));
                if (random.nextInt(20) == 0) {
                    record.setReadUnmappedFlag(true);
                } else if (length <= 300 && length > 0) {
                    record.setCigarString(length + "M");
                }
            } else {
                record.setReadUnmappedFlag(true);
            }
            records.add(record);
        }
        return records;
    }

    private void indexedFiles() {
        for (boolean isAsync : new boolean[] {false, true}) {
            for (boolean isSorted : new boolean[] {false, true}) {
                for (String trouble : new String[] {"none", "changed", "beyond", "order"}) {
                    // Some headers are longer than a block.
                    int comments = trouble.equals("changed") == isSorted ? 5_000 : 0;
                    add("index " + comments + isAsync + isSorted + trouble,
                            () -> indexed(comments, isAsync, isSorted, trouble));
                }
            }
        }
    }

    private String indexed(int comments, boolean isAsync, boolean isSorted, String trouble)
            throws IOException {
        File file = newFile(".bam");
        SAMFileHeader header = header(SortOrder.coordinate, comments);
        List<SAMRecord> records = records(header, 6_000, 4);
        SAMRecord last = records.get(4_200);
        if (trouble.equals("beyond")) {
            last.setReferenceIndex(2);
            last.setAlignmentStart(16_400 + (isAsync ? 1 : 200_000));
        } else if (trouble.equals("order")) {
            last.setReferenceIndex(0);
        }
        SAMFileWriter writer = new SAMFileWriterFactory().setCreateIndex(true)
                .setCreateMd5File(true).setUseAsyncIo(isAsync).setMaxRecordsInRam(3_000)
                .setTempDirectory(folder.toFile())
                .makeBAMWriter(header, isSorted, file, 2);
        writer.setSortOrderChecking(false);
        String written = outcome(() -> {
            for (SAMRecord each : records) {
                writer.addAlignment(each);
                if (trouble.equals("changed") && !isAsync && isSorted) {
                    each.setAlignmentStart(1);
                    each.setReferenceIndex(0);
                    each.setReadUnmappedFlag(!each.getReadUnmappedFlag());
                }
            }
            return "written";
        });
        String closed = outcome(() -> {
            writer.close();
            return "closed";
        });
        if (isAsync && (closed.contains("threw") || written.contains("threw"))) {
            // Its thread tells of the failure some records later, or when the writer is closed, and
            // htsjdk ends the files in the latter case alone.
            return "threw";
        }
        String base = file.getPath().substring(0, file.getPath().length() - 4);
        return written + closed + digest(file) + " " + digest(new File(base + ".bai")) + " "
                + digest(new File(base + ".bam.md5"));
    }

    private byte[] sample() throws IOException {
        File file = newFile(".bam");
        SAMFileHeader header = header(SortOrder.coordinate, 0);
        try (SAMFileWriter writer = new SAMFileWriterFactory().setCreateIndex(true)
                .makeBAMWriter(header, true, file, 1)) {
            records(header, 9_000, 5).forEach(writer::addAlignment);
        }
        return Files.readAllBytes(file.toPath());
    }

    private void damagedFiles() throws IOException {
        byte[] whole = sample();
        Random random = new Random(6);
        add("whole", () -> read(whole, true));
        add("whole, without index", () -> read(whole, false));
        for (int k = 0; k < 12; k++) {
            int length = random.nextInt(whole.length);
            add("first " + length, () -> read(Arrays.copyOf(whole, length), length % 2 == 0));
        }
        for (int less : new int[] {1, 27, 28, 29, 40}) {
            add("last " + less, () -> read(Arrays.copyOf(whole, whole.length - less), less % 2 == 0));
        }
        for (int k = 0; k < 40; k++) {
            byte[] bytes = whole.clone();
            int place = random.nextInt(whole.length);
            // Half of them in the header of a block.
            while (k % 2 == 0 && (bytes[place] != 31 || bytes[place + 1] != (byte) 139)) {
                place = random.nextInt(whole.length - 100);
            }
            place += k % 2 == 0 ? random.nextInt(20) : 0;
            bytes[place] ^= 1 << random.nextInt(8);
            boolean hasIndex = random.nextBoolean();
            add("damaged at " + place, () -> read(bytes, hasIndex));
        }
    }

    private String read(byte[] bytes, boolean hasIndex) throws IOException {
        File file = newFile(".bam");
        Files.write(file.toPath(), bytes);
        int[] result = {0, 0};
        boolean isIntel = bytes.length % 2 == 0;
        return outcome(() -> {
            SamReaderFactory factory = SamReaderFactory.makeDefault()
                    .validationStringency(ValidationStringency.SILENT)
                    .inflaterFactory(isIntel ? new IntelInflaterFactory() : new InflaterFactory());
            SamInputResource resource = hasIndex ? SamInputResource.of(file)
                    : SamInputResource.of(Files.newInputStream(file.toPath()));
            try (SamReader reader = factory.open(resource)) {
                for (SAMRecord each : reader) {
                    result[0]++;
                    result[1] = 31 * result[1] + each.hashCode();
                }
            }
            return "read";
        }) + " " + Arrays.toString(result);
    }

    private void places() throws IOException {
        byte[] whole = sample();
        File file = newFile(".bam");
        File index = newFile(".bai");
        Files.write(file.toPath(), whole);
        Files.copy(Paths.get(folder + "/" + (files - 3) + ".bai"), index.toPath());
        Random random = new Random(7);
        add("queries", () -> queries(file, index));
        for (int run = 0; run < 6; run++) {
            long seed = random.nextLong();
            add("seeks", () -> seeks(new BlockCompressedInputStream(file), new Random(seed)));
            // Not a file: no seeks.
            add("stream", () -> seeks(new BlockCompressedInputStream(
                    new ByteArrayInputStream(whole)), new Random(seed)));
            add("slow stream", () -> seeks(new BlockCompressedInputStream(
                    new Slow(whole)), new Random(seed)));
        }
    }

    /** A stream that never says that there are bytes. */
    private static final class Slow extends InputStream {
        private final InputStream bytes;

        Slow(byte[] bytes) {
            this.bytes = new ByteArrayInputStream(bytes);
        }

        @Override
        public int read() throws IOException {
            return bytes.read();
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            return bytes.read(to, offset, Math.min(length, 1000));
        }
    }

    private static String queries(File file, File index) throws IOException {
        int hash = 0;
        Random random = new Random(8);
        try (SamReader reader = SamReaderFactory.makeDefault()
                .validationStringency(ValidationStringency.SILENT)
                .open(SamInputResource.of(file).index(index))) {
            for (int k = 0; k < 60; k++) {
                int sequence = random.nextInt(3);
                int start = 1 + random.nextInt(LENGTHS[sequence]);
                int end = start + random.nextInt(k % 3 == 0 ? 400_000 : 2_000);
                try (SAMRecordIterator records = k % 20 == 0 ? reader.queryUnmapped()
                        : reader.query("chr" + sequence, start, end, k % 2 == 0)) {
                    // Some are left before their end.
                    for (int n = 0; records.hasNext() && (k % 7 != 0 || n < 500); n++) {
                        hash = 31 * hash + records.next().hashCode();
                    }
                }
            }
        }
        return "read " + hash;
    }

    private static String seeks(BlockCompressedInputStream in, Random random) throws IOException {
        List<Long> pointers = new ArrayList<>();
        int hash = 0;
        byte[] bytes = new byte[50_000];
        for (int k = 0; k < 400; k++) {
            pointers.add(in.getFilePointer());
            int choice = random.nextInt(60);
            if (choice == 0) {
                long pointer = pointers.get(random.nextInt(pointers.size()));
                hash = 31 * hash + outcome(() -> {
                    in.seek(pointer);
                    return "sought";
                }).hashCode();
            } else if (choice == 1) {
                hash = 31 * hash + in.available() + (in.endOfBlock() ? 7 : 0);
            } else if (choice == 2) {
                hash = 31 * hash + in.readLine().hashCode();
            } else if (choice == 3) {
                hash = 31 * hash + in.read();
            } else {
                int count = in.read(bytes, 0, random.nextInt(bytes.length));
                hash = 31 * hash + count;
                for (int b = 0; b < count; b++) {
                    hash = 31 * hash + bytes[b];
                }
            }
        }
        in.close();
        return hash + " " + pointers.hashCode() + " " + outcome(() -> String.valueOf(in.read()))
                + outcome(() -> {
                    in.seek(0);
                    return "sought";
                });
    }

    /** Several files at once. */
    private void atOnce() throws Exception {
        byte[] whole = sample();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        List<Future<String>> results = new ArrayList<>();
        for (int k = 0; k < 6; k++) {
            boolean writes = k % 2 == 0;
            results.add(threads.submit(() -> {
                ReadsScenarios one = new ReadsScenarios(Files.createTempDirectory(folder, "one"));
                return writes ? one.indexed(0, true, false, "none") : one.read(whole, true);
            }));
        }
        for (Future<String> each : results) {
            lines.add("at once: " + each.get());
        }
        threads.shutdown();
    }
}
