package org.gklshim.replay;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One region: five byte arrays for each read, and one or two for each haplotype. */
final class Region {
    final byte[][][] reads;
    final byte[][][] haplotypes;

    private Region(List<byte[][]> reads, List<byte[][]> haplotypes) {
        this.reads = reads.toArray(new byte[0][][]);
        this.haplotypes = haplotypes.toArray(new byte[0][][]);
    }

    long cells() {
        return bases(reads) * bases(haplotypes);
    }

    long pairs() {
        return (long) reads.length * haplotypes.length;
    }

    private static long bases(byte[][][] sequences) {
        return Arrays.stream(sequences).mapToLong(tracks -> tracks[0].length).sum();
    }

    /**
     * Reads the .in format: a line "R H", R lines of bases and four qualities, H haplotypes. For
     * PDHMM a haplotype's line also has two hexadecimal digits for each letter.
     */
    static List<Region> read(Path path, boolean pdhmm) throws IOException {
        List<Region> regions = new ArrayList<>();
        try (BufferedReader reader = Files.newBufferedReader(path, StandardCharsets.ISO_8859_1)) {
            long number = 0;
            for (String line; (line = reader.readLine()) != null; ) {
                number++;
                if (!line.matches("\\d{1,9}\\s+\\d{1,9}\\s*")) {
                    throw new IOException(path + ":" + number + ": not two counts");
                }
                String[] counts = line.trim().split("\\s+");
                // The lists grow as lines are read, because a count may be wrong.
                List<byte[][]> reads = new ArrayList<>();
                for (int i = Integer.parseInt(counts[0]); i > 0; i--) {
                    reads.add(fields(path, ++number, reader.readLine(), 5));
                }
                List<byte[][]> haplotypes = new ArrayList<>();
                for (int i = Integer.parseInt(counts[1]); i > 0; i--) {
                    String haplotype = reader.readLine();
                    haplotypes.add(pdhmm
                            ? withFlags(path, ++number, haplotype)
                            : fields(path, ++number, haplotype, 1));
                }
                regions.add(new Region(reads, haplotypes));
            }
        }
        if (regions.isEmpty()) {
            throw new IOException(path + ":1: no regions");
        }
        return regions;
    }

    private static byte[][] withFlags(Path path, long number, String line) throws IOException {
        String[] texts = line == null ? new String[0] : line.trim().split("\\s+");
        if (texts.length != 2 || texts[1].length() != 2 * texts[0].length()
                || !texts[1].matches("[0-9A-Fa-f]+")) {
            throw new IOException(path + ":" + number + ": no letters with two digits each");
        }
        byte[] flags = new byte[texts[0].length()];
        for (int i = 0; i < flags.length; i++) {
            flags[i] = (byte) Integer.parseInt(texts[1].substring(2 * i, 2 * i + 2), 16);
        }
        return new byte[][] {texts[0].getBytes(StandardCharsets.ISO_8859_1), flags};
    }

    private static byte[][] fields(Path path, long number, String line, int expected)
            throws IOException {
        String[] texts = line == null ? new String[0] : line.trim().split("\\s+");
        if (texts.length != expected) {
            throw new IOException(path + ":" + number + ": not " + expected + " fields");
        }
        byte[][] fields = new byte[expected][];
        for (int i = 0; i < expected; i++) {
            fields[i] = texts[i].getBytes(StandardCharsets.ISO_8859_1);
            if (i > 0) {
                for (int j = 0; j < fields[i].length; j++) {
                    fields[i][j] -= 33;
                }
            }
            if (fields[i].length != fields[0].length) {
                throw new IOException(path + ":" + number + ": tracks of unequal length");
            }
        }
        return fields;
    }
}
