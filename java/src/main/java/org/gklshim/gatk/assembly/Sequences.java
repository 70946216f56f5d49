package org.gklshim.gatk.assembly;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The sequences of an assembly, in one text: first the reference, then every read up to the last
 * base that the assembly uses.
 */
final class Sequences {
    /** The sample that GATK gives the reference. */
    private static final String REFERENCE_SAMPLE = "XXX_UNNAMED_XXX";

    private final int kmerSize;
    private final byte minQuality;

    byte[] text;
    int length;

    /** Where each read starts in the text. The first "read" is the reference. */
    int[] readStarts = new int[64];
    int reads;

    /** Parts of reads whose bases are all usable. The first part is the reference. */
    int[] partStarts = new int[64];
    int[] partEnds = new int[64];
    private int[] partSamples = new int[64];
    int parts;

    private final List<String> samples = new ArrayList<>();

    /**
     * Starts with the reference.
     *
     * @param minQuality the lowest quality of a base that is usable
     */
    Sequences(byte[] reference, int kmerSize, byte minQuality) {
        this.kmerSize = kmerSize;
        this.minQuality = minQuality;
        text = new byte[Math.max(1 << 15, 4 * reference.length)];
        append(reference, reference.length);
        readStarts[reads++] = 0;
        addPart(0, reference.length, REFERENCE_SAMPLE);
    }

    /**
     * Returns where the next usable part of a read starts, one at least as long as a k-mer, or -1.
     *
     * @param from the first base that it may have
     */
    int partStart(byte[] bases, byte[] qualities, int from) {
        int start = from;
        for (int k = from; k < bases.length; k++) {
            if (!isUsable(bases[k], qualities[k])) {
                if (k - start >= kmerSize) {
                    return start;
                }
                start = k + 1;
            }
        }
        return bases.length - start >= kmerSize ? start : -1;
    }

    /**
     * Adds a read.
     *
     * @param firstStart where its first part starts, by {@link #partStart}
     */
    void addRead(byte[] bases, byte[] qualities, int firstStart, String sample) {
        int origin = length;
        int end = 0;
        for (int start = firstStart; start >= 0; start = partStart(bases, qualities, end)) {
            end = start;
            while (end < bases.length && isUsable(bases[end], qualities[end])) {
                end++;
            }
            addPart(origin + start, origin + end, sample);
        }
        append(bases, end);
        if (reads == readStarts.length) {
            readStarts = Arrays.copyOf(readStarts, 2 * reads);
        }
        readStarts[reads++] = origin;
    }

    /** Returns where a read ends in the text. */
    int readEnd(int read) {
        return read + 1 < reads ? readStarts[read + 1] : length;
    }

    int samples() {
        return samples.size();
    }

    boolean isOfSample(int part, int sample) {
        return partSamples[part] == sample;
    }

    /** Appends the first bases of an array to the text. Returns where they start. */
    int append(byte[] bases, int count) {
        int start = length;
        if (length + count > text.length) {
            text = Arrays.copyOf(text, 2 * (length + count));
        }
        System.arraycopy(bases, 0, text, length, count);
        length += count;
        return start;
    }

    private boolean isUsable(byte base, byte quality) {
        return base != 'N' && quality >= minQuality;
    }

    private void addPart(int start, int end, String sample) {
        if (parts == partStarts.length) {
            partStarts = Arrays.copyOf(partStarts, 2 * parts);
            partEnds = Arrays.copyOf(partEnds, 2 * parts);
            partSamples = Arrays.copyOf(partSamples, 2 * parts);
        }
        int number = samples.indexOf(sample);
        if (number < 0) {
            number = samples.size();
            samples.add(sample);
        }
        partStarts[parts] = start;
        partEnds[parts] = end;
        partSamples[parts++] = number;
    }
}
