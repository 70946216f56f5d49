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
 * Takes the place of Intel's class of this name: GATK's native PairHMM, computed by gkl-shim.
 *
 * <p>An instance may be used by several threads at once. It holds nothing that must be freed.
 */
public class IntelPairHmm implements PairHMMNativeBinding {
    private final boolean multithreaded;
    private int configuration = -1;
    /** Intel's own; null unless this class stands in front of it and our PairHMM does not work. */
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
     * @param tempDir not used: the library is extracted to the JVM's own temporary directory, and
     *     only for as long as it takes to load
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
     * Sets precision and threads.
     *
     * @param args null: single precision and one thread
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
     * Computes log10 likelihoods, reads outer, haplotypes inner.
     *
     * <p>No reads or no haplotypes is nothing to do. Any byte is a base: what is not one of ACGTN
     * counts as A. Qualities are taken modulo 128.
     *
     * @param readDataArray reads, with five arrays of one length each
     * @param haplotypeDataArray haplotypes
     * @param likelihoodArray the results; what is beyond them is left alone
     * @throws NullPointerException an argument, a read, a haplotype or one of their arrays is null
     * @throws IllegalArgumentException a read or haplotype has no bases, a read's arrays differ in
     *     length, or likelihoodArray is too short
     * @throws OutOfMemoryError there is not enough native memory; the instance stays usable
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

        // The layout that PairHmm.compute takes: the reads' tracks one after the other, then the
        // haplotypes.
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

    /** Does nothing: what is shared by all instances stays for the others. */
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
