package org.gklshim.gatk.recalibration;

import static org.gklshim.gatk.recalibration.CovariateCounts.CONTEXTS;
import static org.gklshim.gatk.recalibration.CovariateCounts.CYCLES;
import static org.gklshim.gatk.recalibration.CovariateCounts.MAX_QUALITY;
import static org.gklshim.gatk.recalibration.CovariateCounts.SUBSTITUTION;

import java.util.List;
import org.broadinstitute.hellbender.transformers.BQSRReadTransformer;
import org.broadinstitute.hellbender.utils.MathUtils;
import org.broadinstitute.hellbender.utils.QualityUtils;
import org.broadinstitute.hellbender.utils.recalibration.RecalDatum;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationTables;
import org.gklshim.gatk.Members;

/**
 * The recalibrated quality for each read group, quality, context and cycle. GATK's own method
 * computes one when it is first asked for, in any thread.
 */
final class QualityTable {
    /** A row has cycles; there is a row for each context, and one without. */
    private static final long MAX_CONTEXTS = 256;
    private static final int MAX_CYCLE = 10_000;

    final int contextSize;
    final int tailQuality;
    final int maximumCycle;
    final int minQuality;
    private final RecalibrationTables tables;
    private final List<Byte> quantized;
    private final byte[] mapping;
    /** The prior of each read group that is in GATK's tables. */
    private final double[] priors;
    /** The number of each read group in GATK's tables; -1 if it is not there. */
    private final int[] keys;
    /** The quality plus 1, or 0 if it is not computed yet. */
    private final byte[][][][] rows;

    /** Takes the tables of GATK's transformer for the read groups of a header. */
    QualityTable(BQSRReadTransformer transformer, ReadHeader header) {
        Object covariates = Members.get(transformer, "covariates");
        Object context = Members.call(covariates, "get", CONTEXTS);
        contextSize = (int) Members.get(context, "mismatchesContextSize");
        tailQuality = (byte) Members.get(context, "lowQualTail");
        maximumCycle = (int) Members.get(Members.call(covariates, "get", CYCLES),
                "MAXIMUM_CYCLE_VALUE");
        minQuality = (int) Members.get(transformer, "preserveQLessThan");
        tables = (RecalibrationTables) Members.get(transformer, "recalibrationTables");
        @SuppressWarnings("unchecked")
        List<Byte> qualities = (List<Byte>)
                either(transformer, "quantizedQuals", "quantizationInfo.quantizedQuals");
        quantized = qualities;
        mapping = (byte[]) Members.get(transformer, "staticQuantizedMapping");
        keys = new int[header.readGroups()];
        Object groups = Members.get(covariates, "readGroupCovariate");
        for (int k = 0; k < keys.length; k++) {
            keys[k] = key(groups, header.name(k));
        }
        priors = new double[keys.length];
        for (int k = 0; k < keys.length; k++) {
            if (keys[k] >= 0) {
                priors[k] = prior(transformer, group(keys[k]));
            }
        }
        rows = new byte[keys.length][MAX_QUALITY + 1][][];
    }

    private int key(Object groups, String name) {
        try {
            int key = (int) Members.call(groups, "keyFromValue", name);
            return key >= 0 && group(key) != null ? key : -1;
        } catch (IllegalStateException e) {
            return -1;
        }
    }

    private RecalDatum group(int key) {
        return tables.getReadGroupTable().get(key, SUBSTITUTION);
    }

    /** Returns whether the table would be too large, or could not hold a quality. */
    boolean isUnsuitable() {
        boolean isUnsuitable = 1L << 2 * contextSize > MAX_CONTEXTS || maximumCycle > MAX_CYCLE;
        for (int k = 0; mapping != null && k < mapping.length; k++) {
            isUnsuitable |= mapping[k] < 0 || mapping[k] == Byte.MAX_VALUE;
        }
        return isUnsuitable;
    }

    /** Returns whether GATK can recalibrate the reads of a read group. */
    boolean has(int readGroup) {
        return keys[readGroup] >= 0;
    }

    /**
     * Returns a recalibrated quality.
     *
     * @param context the number of the context, or -1
     */
    int quality(int readGroup, int quality, int context, int cycle) {
        byte[][] ofQuality = rows[readGroup][quality];
        byte[] row = ofQuality == null ? null : ofQuality[context + 1];
        int found = row == null ? 0 : row[cycle];
        return (found == 0 ? compute(readGroup, quality, context, cycle) : found) - 1;
    }

    private synchronized int compute(int readGroup, int quality, int context, int cycle) {
        byte[][] ofQuality = rows[readGroup][quality];
        if (ofQuality == null) {
            ofQuality = new byte[(1 << 2 * contextSize) + 1][];
            rows[readGroup][quality] = ofQuality;
        }
        if (ofQuality[context + 1] == null) {
            ofQuality[context + 1] = new byte[2 * maximumCycle + 2];
        }
        int result = estimate(readGroup, quality, context, cycle) + 1;
        ofQuality[context + 1][cycle] = (byte) result;
        return result;
    }

    private int estimate(int readGroup, int quality, int context, int cycle) {
        int key = keys[readGroup];
        double estimate = BQSRReadTransformer.hierarchicalBayesianQualityEstimate(
                priors[readGroup], group(key),
                tables.getQualityScoreTable().get(key, quality, SUBSTITUTION),
                context < 0 ? null : tables.getTable(CONTEXTS)
                        .get(key, quality, context << 4 | contextSize, SUBSTITUTION),
                tables.getTable(CYCLES).get(key, quality, cycle, SUBSTITUTION));
        byte result = quantized.get(
                QualityUtils.boundQual(MathUtils.fastRound(estimate), (byte) MAX_QUALITY));
        return mapping == null ? result : mapping[result];
    }

    private static double prior(BQSRReadTransformer transformer, RecalDatum group) {
        double constant = (double) either(transformer, "constantQualityScorePrior",
                "globalQScorePrior");
        return constant > 0
                ? constant : (double) either(group, "reportedQuality", "estimatedQReported");
    }

    /** Returns a field that has another name in GATK before 4.6.2. */
    private static Object either(Object object, String name, String earlierName) {
        Object value = Members.get(object, name, null);
        return value != null ? value : Members.get(object, earlierName);
    }
}
