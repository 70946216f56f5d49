package com.fulcrumgenomics.fgkl.pdhmm;

import java.io.File;
import org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder;
import org.gklshim.OriginalClasses;
import org.gklshim.ReplacedClass;
import org.gklshim.hmm.Region;
import org.gklshim.pdhmm.Pdhmm;

/**
 * Replaces the class of the same name of fgkl, the library that follows Intel's GKL in GATK.
 *
 * <p>Several threads may use an instance at the same time. It holds nothing that must be freed.
 */
public final class FgklPdHmm implements PDHMMNativeBinding {
    private int configuration = -1;
    /** fgkl's instance, if our PDHMM does not work and fgkl's is also on the class path. */
    private PDHMMNativeBinding original;

    /**
     * Loads the native library, once for the process.
     *
     * @param tempDir not used
     * @return whether the native PDHMM can be used
     */
    @Override
    public synchronized boolean load(File tempDir) {
        if (ReplacedClass.isUsable(FgklPdHmm.class)) {
            return true;
        }
        original = (PDHMMNativeBinding) OriginalClasses.instance(
                FgklPdHmm.class, getClass().getName());
        return original != null && original.load(tempDir);
    }

    /** Returns the name of the implementation, which GATK logs. */
    public String backend() {
        return original == null ? ReplacedClass.BACKEND
                : (String) OriginalClasses.call(original, "backend");
    }

    /** Chooses fgkl's precision. Ours is always double. */
    public void setDoublePrecision(boolean doublePrecision) {
        if (original != null) {
            OriginalClasses.call(original, "setDoublePrecision", doublePrecision);
        }
    }

    /**
     * Sets the number of threads. fgkl ignores it.
     *
     * @param args the settings; null for one thread
     */
    @Override
    public void initialize(PDHMMNativeArguments args) {
        if (original != null) {
            original.initialize(args);
            return;
        }
        configuration = Pdhmm.INSTANCE.initialize(args == null ? 1 : args.maxNumberOfThreads);
    }

    /**
     * Computes log10 likelihoods, ordered by read and then by haplotype.
     *
     * <p>Without reads or without haplotypes it does nothing.
     *
     * @param readDataArray the reads; the five arrays of a read have the same length
     * @param haplotypeDataArray the haplotypes; both arrays of a haplotype have the same length
     * @param likelihoodArray receives the results; its length is the number of pairs
     * @throws NullPointerException if an argument, a read, a haplotype or one of their arrays is
     *     null
     * @throws IllegalArgumentException if likelihoodArray has another length, or
     *     {@link Pdhmm#compute} refuses the region
     * @throws OutOfMemoryError if there is not enough memory; the instance stays usable
     */
    @Override
    public void computeLikelihoods(ReadDataHolder[] readDataArray,
            HaplotypeDataHolder[] haplotypeDataArray, double[] likelihoodArray) {
        if (original != null) {
            original.computeLikelihoods(readDataArray, haplotypeDataArray, likelihoodArray);
            return;
        }
        Region region =
                Pdhmm.INSTANCE.region(readDataArray, haplotypeDataArray, likelihoodArray);
        if (region == null) {
            return;
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

    /** Does nothing, because other instances share the engine. */
    @Override
    public void done() {
        if (original != null) {
            original.done();
        }
    }
}
