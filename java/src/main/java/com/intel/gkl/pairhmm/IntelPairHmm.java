package com.intel.gkl.pairhmm;

import java.io.File;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;
import org.gklshim.OriginalClasses;
import org.gklshim.ReplacedClass;
import org.gklshim.pairhmm.PairHmm;

/**
 * Replaces Intel's class of the same name, GATK's native PairHMM.
 *
 * <p>Several threads may use an instance at the same time. It holds nothing that must be freed.
 */
public class IntelPairHmm implements PairHMMNativeBinding {
    private final boolean multithreaded;
    private int configuration = -1;
    /** Intel's instance, if our PairHMM does not work and Intel's is also on the class path. */
    private PairHMMNativeBinding original;

    public IntelPairHmm() {
        this(false);
    }

    IntelPairHmm(boolean multithreaded) {
        this.multithreaded = multithreaded;
    }

    /**
     * Loads the native library, once for the process.
     *
     * @param tempDir not used. The library is extracted to the JVM's temporary directory, and
     *     deleted once it is loaded
     * @return whether the native PairHMM can be used
     */
    @Override
    public synchronized boolean load(File tempDir) {
        if (ReplacedClass.isUsable(IntelPairHmm.class)) {
            return true;
        }
        original = (PairHMMNativeBinding) OriginalClasses.instance(
                IntelPairHmm.class, getClass().getName());
        return original != null && original.load(tempDir);
    }

    /**
     * Sets the precision and the number of threads.
     *
     * @param args the settings; null for single precision and one thread
     */
    @Override
    public void initialize(PairHMMNativeArguments args) {
        if (original != null) {
            original.initialize(args);
            return;
        }
        boolean useDoublePrecision = args != null && args.useDoublePrecision;
        int threads = args != null && multithreaded ? args.maxNumberOfThreads : 1;
        configuration = PairHmm.INSTANCE.initialize(useDoublePrecision, threads);
    }

    /**
     * Computes log10 likelihoods, ordered by read and then by haplotype.
     *
     * <p>Without reads or without haplotypes it does nothing. A byte other than ACGTN counts as A.
     * Qualities are taken modulo 128.
     *
     * @param readDataArray the reads; the five arrays of a read have the same length
     * @param haplotypeDataArray the haplotypes
     * @param likelihoodArray receives the results; elements after the last result do not change
     * @throws NullPointerException if an argument, a read, a haplotype or one of their arrays is
     *     null
     * @throws IllegalArgumentException if a read or haplotype has no bases, the arrays of a read
     *     differ in length, a sequence is longer than gkl_shim.h allows (1,048,576 bases for a
     *     read), or likelihoodArray is too short
     * @throws OutOfMemoryError if there is not enough native memory; the instance stays usable
     */
    @Override
    public void computeLikelihoods(ReadDataHolder[] readDataArray,
            HaplotypeDataHolder[] haplotypeDataArray, double[] likelihoodArray) {
        if (original != null) {
            original.computeLikelihoods(readDataArray, haplotypeDataArray, likelihoodArray);
            return;
        }
        if (readDataArray == null || haplotypeDataArray == null || likelihoodArray == null) {
            throw new NullPointerException("reads, haplotypes or likelihoods is null");
        }
        int reads = readDataArray.length;
        int haplotypes = haplotypeDataArray.length;
        if (reads == 0 || haplotypes == 0) {
            return;
        }
        if (configuration < 0) {
            throw new IllegalStateException("computeLikelihoods was called before initialize");
        }
        if ((long) reads * haplotypes > likelihoodArray.length) {
            throw new IllegalArgumentException("likelihoods has room for " + likelihoodArray.length
                    + " values, " + reads + " reads x " + haplotypes + " haplotypes need "
                    + (long) reads * haplotypes);
        }

        int[] lengths = PairHmm.INSTANCE.lengths((long) reads + haplotypes);
        long readBases = 0;
        for (int r = 0; r < reads; r++) {
            lengths[r] = checkedLength(readDataArray[r], r);
            readBases += lengths[r];
        }
        long haplotypeBases = 0;
        for (int h = 0; h < haplotypes; h++) {
            lengths[reads + h] = checkedLength(haplotypeDataArray[h], h);
            haplotypeBases += lengths[reads + h];
        }

        // The layout for PairHmm.compute: each track of all reads in turn, then the haplotypes.
        byte[] sequences = PairHmm.INSTANCE.sequences(5 * readBases + haplotypeBases);
        int track = (int) readBases;
        int at = 0;
        for (int r = 0; r < reads; r++) {
            ReadDataHolder read = readDataArray[r];
            int length = lengths[r];
            System.arraycopy(read.readBases, 0, sequences, at, length);
            System.arraycopy(read.readQuals, 0, sequences, at + track, length);
            System.arraycopy(read.insertionGOP, 0, sequences, at + 2 * track, length);
            System.arraycopy(read.deletionGOP, 0, sequences, at + 3 * track, length);
            System.arraycopy(read.overallGCP, 0, sequences, at + 4 * track, length);
            at += length;
        }
        at = 5 * track;
        for (int h = 0; h < haplotypes; h++) {
            int length = lengths[reads + h];
            System.arraycopy(haplotypeDataArray[h].haplotypeBases, 0, sequences, at, length);
            at += length;
        }
        PairHmm.INSTANCE.compute(configuration, sequences, lengths, reads, haplotypes,
                likelihoodArray);
    }

    /** Does nothing, because other instances share the engine. */
    @Override
    public void done() {
        if (original != null) {
            original.done();
        }
    }

    private static int checkedLength(ReadDataHolder read, int index) {
        if (read == null) {
            throw new NullPointerException("read " + index + " is null");
        }
        int length = length(read.readBases, "readBases", index);
        if (length == 0) {
            throw new IllegalArgumentException("read " + index + " has no bases");
        }
        checkTrack(read.readQuals, "readQuals", index, length);
        checkTrack(read.insertionGOP, "insertionGOP", index, length);
        checkTrack(read.deletionGOP, "deletionGOP", index, length);
        checkTrack(read.overallGCP, "overallGCP", index, length);
        return length;
    }

    private static void checkTrack(byte[] track, String name, int index, int expected) {
        int length = length(track, name, index);
        if (length != expected) {
            throw new IllegalArgumentException("read " + index + ": " + name + " has " + length
                    + " values for " + expected + " bases");
        }
    }

    private static int length(byte[] track, String name, int index) {
        if (track == null) {
            throw new NullPointerException("read " + index + ": " + name + " is null");
        }
        return track.length;
    }

    private static int checkedLength(HaplotypeDataHolder haplotype, int index) {
        if (haplotype == null) {
            throw new NullPointerException("haplotype " + index + " is null");
        }
        if (haplotype.haplotypeBases == null) {
            throw new NullPointerException("haplotype " + index + ": haplotypeBases is null");
        }
        if (haplotype.haplotypeBases.length == 0) {
            throw new IllegalArgumentException("haplotype " + index + " has no bases");
        }
        return haplotype.haplotypeBases.length;
    }
}
