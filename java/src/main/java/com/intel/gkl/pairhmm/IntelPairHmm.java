package com.intel.gkl.pairhmm;

import java.io.File;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;
import org.gklshim.hmm.Region;
import org.gklshim.pairhmm.PairHmm;

/**
 * Replaces Intel's class of the same name, GATK's native PairHMM, and fgkl's.
 *
 * <p>Several threads may use an instance at the same time. It holds nothing that must be freed.
 */
public class IntelPairHmm implements PairHMMNativeBinding {
    private final boolean multithreaded;
    private int configuration = -1;

    public IntelPairHmm() {
        // The agent also gives this class the name of fgkl's.
        this(!IntelPairHmm.class.getSimpleName().equals("IntelPairHmm"));
    }

    IntelPairHmm(boolean multithreaded) {
        this.multithreaded = multithreaded;
    }

    /**
     * Does nothing: the agent has loaded the native library and tested its PairHMM, before it gave
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
     * Sets the precision and the number of threads.
     *
     * @param args the settings; null for single precision and one thread
     */
    @Override
    public void initialize(PairHMMNativeArguments args) {
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
        Region region = PairHmm.INSTANCE.region(
                configuration, readDataArray, haplotypeDataArray, likelihoodArray);
        if (region == null) {
            return;
        }
        for (ReadDataHolder read : readDataArray) {
            region.addRead(read.readBases, read.readQuals, read.insertionGOP, read.deletionGOP,
                    read.overallGCP);
        }
        for (HaplotypeDataHolder haplotype : haplotypeDataArray) {
            region.addHaplotype(haplotype.haplotypeBases);
        }
        PairHmm.INSTANCE.compute(configuration, region, likelihoodArray);
    }

    /** Does nothing, because other instances share the engine. */
    @Override
    public void done() {}
}
