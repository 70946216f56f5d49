package com.fulcrumgenomics.fgkl.smithwaterman;

import java.io.File;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWAlignerNativeBinding;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWNativeAlignerResult;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;
import org.gklshim.OriginalClasses;
import org.gklshim.ReplacedClass;
import org.gklshim.smithwaterman.SmithWaterman;

/**
 * Replaces the class of the same name of fgkl, the library that follows Intel's GKL in GATK.
 *
 * <p>Several threads may use an instance at the same time. It holds nothing that must be freed.
 */
public final class FgklSmithWaterman implements SWAlignerNativeBinding {
    /** fgkl's instance, if our aligner does not work and fgkl's is also on the class path. */
    private SWAlignerNativeBinding original;

    /**
     * Loads the native library, once for the process.
     *
     * @param tempDir not used
     * @return whether the native aligner can be used
     */
    @Override
    public synchronized boolean load(File tempDir) {
        if (ReplacedClass.isUsable(FgklSmithWaterman.class)) {
            SmithWaterman.INSTANCE.initialize();
            return true;
        }
        original = (SWAlignerNativeBinding) OriginalClasses.instance(
                FgklSmithWaterman.class, getClass().getName());
        return original != null && original.load(tempDir);
    }

    /** Returns the name of the implementation, which GATK logs. */
    public String backend() {
        return original == null ? ReplacedClass.BACKEND
                : (String) OriginalClasses.call(original, "backend");
    }

    /**
     * Aligns a sequence to a reference, with the result of GATK's SmithWatermanJavaAligner.
     *
     * @param reference the reference
     * @param alternate the sequence
     * @param parameters the scores, any numbers
     * @param overhangStrategy what happens to letters that the reference does not cover
     * @throws NullPointerException if an argument is null
     * @throws IllegalArgumentException if a sequence is empty or has more than 262,144 letters
     * @throws OutOfMemoryError if there is not enough memory; the instance stays usable
     */
    @Override
    public SWNativeAlignerResult align(byte[] reference, byte[] alternate, SWParameters parameters,
            SWOverhangStrategy overhangStrategy) {
        if (original != null) {
            return original.align(reference, alternate, parameters, overhangStrategy);
        }
        if (reference == null || alternate == null || parameters == null
                || overhangStrategy == null) {
            throw new NullPointerException(
                    "the reference, the sequence, the parameters or the overhang strategy is null");
        }
        byte[] cigar = SmithWaterman.INSTANCE.cigarFor(reference.length, alternate.length);
        long result = SmithWaterman.INSTANCE.align(reference, alternate,
                parameters.getMatchValue(), parameters.getMismatchPenalty(),
                parameters.getGapOpenPenalty(), parameters.getGapExtendPenalty(),
                overhangStrategy.ordinal(), cigar);
        return new SWNativeAlignerResult(SmithWaterman.cigar(cigar, result),
                SmithWaterman.offset(result));
    }

    /** Does nothing, because other instances share the engine. */
    @Override
    public void close() {
        if (original != null) {
            original.close();
        }
    }
}
