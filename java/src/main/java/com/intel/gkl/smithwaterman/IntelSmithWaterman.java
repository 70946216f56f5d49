package com.intel.gkl.smithwaterman;

import java.io.File;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWAlignerNativeBinding;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWNativeAlignerResult;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;
import org.gklshim.smithwaterman.SmithWaterman;

/**
 * Replaces Intel's class of the same name, GATK's native Smith-Waterman, and
 * fgkl's.
 *
 * <p>Several threads may use an instance at the same time. It holds nothing that must be freed.
 */
public class IntelSmithWaterman implements SWAlignerNativeBinding {

    /**
     * Prepares the aligner. The agent has loaded the native library and tested it, before it gave
     * this class to GATK.
     *
     * @param tempDir not used
     * @return true
     */
    @Override
    public boolean load(File tempDir) {
        SmithWaterman.INSTANCE.initialize();
        return true;
    }

    /**
     * Aligns a sequence to a reference, with the result of GATK's SmithWatermanJavaAligner.
     *
     * @param refArray the reference
     * @param altArray the sequence
     * @param parameters the scores, any numbers
     * @param overhangStrategy what happens to letters that the reference does not cover
     * @throws NullPointerException if an argument is null
     * @throws IllegalArgumentException if a sequence is empty or has more than 262,144 letters
     * @throws OutOfMemoryError if there is not enough memory; the instance stays usable
     */
    @Override
    public SWNativeAlignerResult align(byte[] refArray, byte[] altArray, SWParameters parameters,
            SWOverhangStrategy overhangStrategy) {
        if (refArray == null || altArray == null || parameters == null
                || overhangStrategy == null) {
            throw new NullPointerException(
                    "the reference, the sequence, the parameters or the overhang strategy is null");
        }
        byte[] cigar = SmithWaterman.INSTANCE.cigarFor(refArray.length, altArray.length);
        long result = SmithWaterman.INSTANCE.align(refArray, altArray, parameters.getMatchValue(),
                parameters.getMismatchPenalty(), parameters.getGapOpenPenalty(),
                parameters.getGapExtendPenalty(), overhangStrategy.ordinal(), cigar);
        return new SWNativeAlignerResult(SmithWaterman.cigar(cigar, result),
                SmithWaterman.offset(result));
    }

    /** Returns the number by which Intel's native code knows an overhang strategy. */
    public byte getStrategy(SWOverhangStrategy strategy) {
        return (byte) (9 + strategy.ordinal());
    }

    /** Does nothing, because other instances share the engine. */
    @Override
    public void close() {}
}
