package com.fulcrumgenomics.fgkl.pairhmm;

import java.io.File;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;
import org.gklshim.OriginalClasses;
import org.gklshim.ReplacedClass;
import org.gklshim.hmm.Region;
import org.gklshim.pairhmm.PairHmm;

/**
 * Replaces the class of the same name of fgkl, the library that follows Intel's GKL in GATK.
 *
 * <p>Several threads may use an instance at the same time. It holds nothing that must be freed.
 */
public final class FgklPairHmm implements PairHMMNativeBinding {
    private int configuration = -1;
    /** fgkl's instance, if our PairHMM does not work and fgkl's is also on the class path. */
    private PairHMMNativeBinding original;

    /**
     * Loads the native library, once for the process.
     *
     * @param tempDir not used
     * @return whether the native PairHMM can be used
     */
    @Override
    public synchronized boolean load(File tempDir) {
        if (ReplacedClass.isUsable(FgklPairHmm.class)) {
            return true;
        }
        original = (PairHMMNativeBinding) OriginalClasses.instance(
                FgklPairHmm.class, getClass().getName());
        return original != null && original.load(tempDir);
    }

    /** Returns the name of the implementation, which GATK logs. */
    public String backend() {
        return original == null ? ReplacedClass.BACKEND
                : (String) OriginalClasses.call(original, "backend");
    }

    /**
     * Sets the precision and the number of threads. fgkl ignores the number of threads.
     *
     * @param args the settings; null for single precision and one thread
     */
    @Override
    public void initialize(PairHMMNativeArguments args) {
        if (original != null) {
            original.initialize(args);
            return;
        }
        configuration = PairHmm.INSTANCE.initialize(args != null && args.useDoublePrecision,
                args == null ? 1 : args.maxNumberOfThreads);
    }

    /**
     * Computes log10 likelihoods, ordered by read and then by haplotype.
     *
     * <p>Without reads or without haplotypes it does nothing.
     *
     * @param readDataArray the reads; the five arrays of a read have the same length
     * @param haplotypeDataArray the haplotypes
     * @param likelihoodArray receives the results
     * @throws NullPointerException if an argument, a read, a haplotype or one of their arrays is
     *     null
     * @throws IllegalArgumentException if a read or haplotype has no bases, the arrays of a read
     *     differ in length, a sequence is longer than gkl_shim.h allows, or likelihoodArray is too
     *     short
     * @throws OutOfMemoryError if there is not enough native memory; the instance stays usable
     */
    @Override
    public void computeLikelihoods(ReadDataHolder[] readDataArray,
            HaplotypeDataHolder[] haplotypeDataArray, double[] likelihoodArray) {
        if (original != null) {
            original.computeLikelihoods(readDataArray, haplotypeDataArray, likelihoodArray);
            return;
        }
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
    public void done() {
        if (original != null) {
            original.done();
        }
    }
}
