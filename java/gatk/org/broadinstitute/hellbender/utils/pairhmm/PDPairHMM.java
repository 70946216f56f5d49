package org.broadinstitute.hellbender.utils.pairhmm;

import java.io.Closeable;
import java.util.List;
import org.broadinstitute.hellbender.utils.genotyper.LikelihoodMatrix;
import org.broadinstitute.hellbender.utils.haplotype.PartiallyDeterminedHaplotype;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class. */
public abstract class PDPairHMM implements Closeable {
    protected double[] mLogLikelihoodArray;
    protected static Boolean doProfiling;
    protected static long pairHMMComputeTime;
    protected long threadLocalPairHMMComputeTimeDiff;
    protected long startTime;

    public PDPairHMM() {}

    public void computeLog10Likelihoods(
            LikelihoodMatrix<GATKRead, PartiallyDeterminedHaplotype> logLikelihoods,
            List<GATKRead> processedReads, PairHMMInputScoreImputator inputScoreImputator,
            int rangeForReadOverlapToDeterminedBases) {
        throw new UnsupportedOperationException();
    }

    protected abstract double subComputeReadLikelihoodGivenHaplotypeLog10(byte[] haplotypeBases,
            byte[] haplotypePDBases, byte[] readBases, byte[] readQuals, byte[] insertionGOP,
            byte[] deletionGOP, byte[] overallGCP, int hapStartIndex, boolean recacheReadValues,
            int nextHapStartIndex);

    protected void writeToResultsFileIfApplicable(byte[] readBases, byte[] readQuals,
            byte[] readInsQuals, byte[] readDelQuals, byte[] overallGCP, byte[] alleleBases,
            byte[] allelePDBases, double lk) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
