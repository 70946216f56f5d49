package org.gklshim.gatk.recalibration;

import org.gklshim.gatk.records.BamFormat;

/** A walk over the bases of a read in the order in which they were sequenced. */
abstract class SequencingOrder {
    private final int contextSize;
    final int tailQuality;

    /**
     * @param contextSize the number of bases of a context: a base and those before it
     * @param tailQuality runs of bases at an end that are not above this quality are in no context
     */
    SequencingOrder(int contextSize, int tailQuality) {
        this.contextSize = contextSize;
        this.tailQuality = tailQuality;
    }

    /**
     * Gets a base.
     *
     * @param base its place in the record
     * @param context the number of its context, with two bits for each base, the last one highest;
     *     -1 if a base of it is not known
     * @param cycle GATK's key of its cycle
     */
    abstract void visit(ReadArrays read, int base, int quality, int context, int cycle);

    /** Visits a part of a read. At least one of its qualities is above the quality of tails. */
    final void visitAll(ReadArrays read, int from, int to) {
        byte[] qualities = read.qualities;
        int qualitiesStart = read.qualitiesStart;
        int firstUsable = from;
        while (qualities[qualitiesStart + firstUsable] <= tailQuality) {
            firstUsable++;
        }
        int lastUsable = to - 1;
        while (qualities[qualitiesStart + lastUsable] <= tailQuality) {
            lastUsable--;
        }
        boolean isReverse = read.record.has(BamFormat.REVERSE);
        int complement = isReverse ? 3 : 0;
        int step = isReverse ? -1 : 1;
        int highestBits = 2 * (contextSize - 1);
        int cycle = 2 + (read.record.has(BamFormat.PAIRED)
                && read.record.has(BamFormat.SECOND) ? 1 : 0);
        int context = 0;
        int known = 0;
        for (int k = isReverse ? to - 1 : from; k >= from && k < to; k += step, cycle += 2) {
            int code = read.codes[k];
            if (code == BaseCodes.OTHER || k < firstUsable || k > lastUsable) {
                known = 0;
            } else {
                context = context >>> 2 | (code ^ complement) << highestBits;
                known++;
            }
            visit(read, k, qualities[qualitiesStart + k], known >= contextSize ? context : -1,
                    cycle);
        }
    }
}
