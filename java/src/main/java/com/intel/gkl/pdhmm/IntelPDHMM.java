package com.intel.gkl.pdhmm;

import java.io.File;
import java.util.Arrays;
import org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder;
import org.gklshim.hmm.Region;
import org.gklshim.pdhmm.Pdhmm;

/**
 * Replaces Intel's class of the same name, GATK's native PDHMM, and fgkl's.
 *
 * <p>Several threads may use an instance at the same time. It holds nothing that must be freed. Of
 * the arguments, only the number of threads has an effect: the engine's memory is bounded, and its
 * build is the best for the CPU.
 */
public class IntelPDHMM implements PDHMMNativeBinding {
    private int configuration = -1;

    /**
     * Does nothing: the agent has loaded the native library and tested its PDHMM, before it gave
     * this class to GATK.
     *
     * @param tempDir not used
     * @return true
     */
    @Override
    public boolean load(File tempDir) {
        return true;
    }

    /**
     * Sets the number of threads.
     *
     * @param args the settings; null for one thread
     */
    @Override
    public void initialize(PDHMMNativeArguments args) {
        configuration = Pdhmm.INSTANCE.initialize(args == null ? 1 : args.maxNumberOfThreads);
    }

    /**
     * Computes log10 likelihoods, ordered by read and then by haplotype.
     *
     * @param readDataArray the reads; the five arrays of a read have the same length
     * @param haplotypeDataArray the haplotypes; both arrays of a haplotype have the same length
     * @param likelihoodArray receives the results; its length is the number of pairs
     * @throws NullPointerException if an argument, a read, a haplotype or one of their arrays is
     *     null
     * @throws IllegalArgumentException if there are no reads or no haplotypes, likelihoodArray has
     *     another length, or {@link Pdhmm#compute} refuses the region
     * @throws OutOfMemoryError if there is not enough memory; the instance stays usable
     */
    @Override
    public void computeLikelihoods(ReadDataHolder[] readDataArray,
            HaplotypeDataHolder[] haplotypeDataArray, double[] likelihoodArray) {
        Region region =
                Pdhmm.INSTANCE.region(readDataArray, haplotypeDataArray, likelihoodArray);
        if (region == null) {
            throw new IllegalArgumentException("there are no reads or no haplotypes");
        }
        for (ReadDataHolder read : readDataArray) {
            region.addRead(read.readBases, read.readQuals, read.insertionGOP, read.deletionGOP,
                    read.overallGCP);
        }
        for (HaplotypeDataHolder haplotype : haplotypeDataArray) {
            region.addHaplotype(haplotype.haplotypeBases, haplotype.haplotypePDBases);
        }
        Pdhmm.INSTANCE.compute(configuration, region, likelihoodArray);
    }

    /**
     * Computes one log10 likelihood for each of a number of pairs. Each array holds the pairs' data
     * one after another, padded to the greatest length.
     *
     * @param hap_bases bases of the haplotypes, batchSize x maxHapLength
     * @param hap_pdbases their flags
     * @param read_bases bases of the reads, batchSize x maxReadLength
     * @param read_qual base qualities
     * @param read_ins_qual insertion gap-open qualities
     * @param read_del_qual deletion gap-open qualities
     * @param gcp gap-continuation qualities
     * @param hap_lengths lengths of the haplotypes
     * @param read_lengths lengths of the reads
     * @throws NullPointerException if an array is null
     * @throws IllegalArgumentException if an array has another size, a length is out of range, or
     *     {@link Pdhmm#compute} refuses a pair
     */
    public double[] computePDHMM(byte[] hap_bases, byte[] hap_pdbases, byte[] read_bases,
            byte[] read_qual, byte[] read_ins_qual, byte[] read_del_qual, byte[] gcp,
            long[] hap_lengths, long[] read_lengths, int batchSize, int maxHapLength,
            int maxReadLength) {
        if (batchSize <= 0 || maxHapLength <= 0 || maxReadLength <= 0) {
            throw new IllegalArgumentException(
                    "batchSize, maxHapLength and maxReadLength must be greater than 0");
        }
        long haplotypeBytes = (long) batchSize * maxHapLength;
        long readBytes = (long) batchSize * maxReadLength;
        checkSize("hap_bases", hap_bases.length, haplotypeBytes);
        checkSize("hap_pdbases", hap_pdbases.length, haplotypeBytes);
        checkSize("read_bases", read_bases.length, readBytes);
        checkSize("read_qual", read_qual.length, readBytes);
        checkSize("read_ins_qual", read_ins_qual.length, readBytes);
        checkSize("read_del_qual", read_del_qual.length, readBytes);
        checkSize("gcp", gcp.length, readBytes);
        checkSize("hap_lengths", hap_lengths.length, batchSize);
        checkSize("read_lengths", read_lengths.length, batchSize);
        double[] likelihoods = new double[batchSize];
        // Callers list pairs by read. Consecutive pairs of one read are one region.
        for (int first = 0, end; first < batchSize; first = end) {
            int read = first * maxReadLength;
            int readEnd = read + checkedLength("read_lengths", read_lengths[first], maxReadLength);
            byte[][] tracks = new byte[5][];
            byte[][] given = {read_bases, read_qual, read_ins_qual, read_del_qual, gcp};
            for (int i = 0; i < given.length; i++) {
                tracks[i] = Arrays.copyOfRange(given[i], read, readEnd);
            }
            end = first + 1;
            while (end < batchSize && read_lengths[end] == readEnd - read
                    && hasRead(given, end * maxReadLength, tracks)) {
                end++;
            }
            Region region = Pdhmm.INSTANCE.region(1, end - first);
            region.addRead(tracks);
            for (int i = first; i < end; i++) {
                int haplotype = i * maxHapLength;
                int haplotypeEnd = haplotype
                        + checkedLength("hap_lengths", hap_lengths[i], maxHapLength);
                region.addHaplotype(Arrays.copyOfRange(hap_bases, haplotype, haplotypeEnd),
                        Arrays.copyOfRange(hap_pdbases, haplotype, haplotypeEnd));
            }
            double[] some = new double[end - first];
            Pdhmm.INSTANCE.compute(configuration, region, some);
            System.arraycopy(some, 0, likelihoods, first, some.length);
        }
        return likelihoods;
    }

    /** Does nothing, because other instances share the engine. */
    @Override
    public void done() {}

    private static boolean hasRead(byte[][] given, int at, byte[][] tracks) {
        for (int i = 0; i < given.length; i++) {
            for (int j = 0; j < tracks[i].length; j++) {
                if (given[i][at + j] != tracks[i][j]) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void checkSize(String name, int size, long expected) {
        if (size != expected) {
            throw new IllegalArgumentException(
                    name + " has " + size + " elements, not " + expected);
        }
    }

    private static int checkedLength(String name, long length, int most) {
        if (length <= 0 || length > most) {
            throw new IllegalArgumentException(
                    name + " has the length " + length + ", which is not within 1 to " + most);
        }
        return (int) length;
    }
}
