package org.gklshim.gatk.recalibration;

import static org.gklshim.gatk.records.BamFormat.DELETION;
import static org.gklshim.gatk.records.BamFormat.HARD_CLIP;
import static org.gklshim.gatk.records.BamFormat.INSERTION;
import static org.gklshim.gatk.records.BamFormat.MATE_REVERSE;
import static org.gklshim.gatk.records.BamFormat.MATE_UNMAPPED;
import static org.gklshim.gatk.records.BamFormat.PAIRED;
import static org.gklshim.gatk.records.BamFormat.REVERSE;
import static org.gklshim.gatk.records.BamFormat.SOFT_CLIP;

import org.broadinstitute.hellbender.utils.recalibration.RecalibrationArgumentCollection;

/**
 * Counts the observations and errors of reads for BaseRecalibrator, as GATK's
 * BaseRecalibrationEngine.processRead() does, but without changing the read.
 *
 * <p>Adaptor and soft-clipped bases do not count. What is left is walked through in the order of
 * sequencing. Nothing is counted of a read that is unusual in any way: GATK has to process it.
 */
final class ErrorCounter extends SequencingOrder {
    private static final byte ERROR = 1;
    private static final byte SKIPPED = 2;

    private final CovariateCounts counts;
    private final int contextsStart;
    private final int minQuality;
    private final int maximumCycle;
    /** The observations of the read's group. */
    private int[][] ofGroup;
    /** Whether each base is an error, and whether it is skipped because of a known site. */
    private byte[] marks = new byte[0];
    /** The part of the read that counts. */
    private int from;
    private int to;

    ErrorCounter(CovariateCounts counts, RecalibrationArgumentCollection arguments) {
        super(arguments.MISMATCHES_CONTEXT_SIZE, arguments.LOW_QUAL_TAIL);
        this.counts = counts;
        contextsStart = counts.contextsStart;
        minQuality = arguments.PRESERVE_QSCORES_LESS_THAN;
        maximumCycle = arguments.MAXIMUM_CYCLE_VALUE;
    }

    /** Returns whether a read is usual: if not, GATK has to process it. */
    boolean isUsual(ReadArrays read) {
        return hasPlainCigar(read) && findPart(read) && to - from <= maximumCycle
                && read.hasPlainQualities(from, to, tailQuality);
    }

    /** Counts the read for which {@link #isUsual} was just called. */
    void count(ReadArrays read, MaskedReference reference) {
        counts.expect(to - from);
        mark(read, reference);
        ofGroup = counts.observations[read.readGroup];
        visitAll(read, from, to);
    }

    /** Returns whether clips are at the ends only, and no neighbours could be one element. */
    private static boolean hasPlainCigar(ReadArrays read) {
        int last = read.elements - 1;
        int first = 0;
        while (first <= last && isClip(read.operators[first])) {
            first++;
        }
        while (last > first && isClip(read.operators[last])) {
            last--;
        }
        if (first > last || read.operators[first] == DELETION
                || read.operators[last] == DELETION) {
            return false;
        }
        for (int k = 0; k < read.elements; k++) {
            int operator = read.operators[k];
            if (read.lengths[k] == 0 || k > 0 && operator == read.operators[k - 1]) {
                return false;
            }
            boolean isInside = k >= first && k <= last;
            if (isClip(operator) == isInside) {
                return false;
            }
            if (k > first && isInside && !ReadArrays.isAligned(operator)
                    && !ReadArrays.isAligned(read.operators[k - 1])) {
                return false;
            }
            if (operator == HARD_CLIP && k > 0 && k < read.elements - 1) {
                return false;
            }
        }
        return true;
    }

    private static boolean isClip(int operator) {
        return operator == SOFT_CLIP || operator == HARD_CLIP;
    }

    /**
     * Finds the part of a read that is left without soft clips and adaptor. Returns false if no
     * base of it is aligned.
     */
    private boolean findPart(ReadArrays read) {
        from = 0;
        to = read.length;
        int base = 0;
        for (int k = 0; k < read.elements; k++) {
            if (read.operators[k] == SOFT_CLIP) {
                if (base == 0) {
                    from = read.lengths[k];
                } else {
                    to = base;
                }
            }
            base += read.operators[k] == DELETION || read.operators[k] == HARD_CLIP
                    ? 0 : read.lengths[k];
        }
        clipAdaptor(read);
        return hasAlignedBase(read);
    }

    /** Leaves out what lies beyond the start of the mate: ReadUtils.getAdaptorBoundary(). */
    private void clipAdaptor(ReadArrays read) {
        boolean isReverse = read.has(REVERSE);
        if (read.insertSize == 0 || !read.has(PAIRED)
                || read.has(MATE_UNMAPPED) || read.mateContig < 0 || read.mateStart == 0
                || isReverse == read.has(MATE_REVERSE)) {
            return;
        }
        long end = read.end();
        boolean isInOrder = isReverse
                ? end > read.mateStart : read.start <= read.mateStart + read.insertSize;
        int boundary = isReverse ? read.mateStart - 1 : read.start + Math.abs(read.insertSize);
        if (!isInOrder || boundary < read.start || boundary > end) {
            return;
        }
        int base = 0;
        int position = read.start;
        for (int k = 0; k < read.elements; k++) {
            int operator = read.operators[k];
            int size = read.lengths[k];
            if (ReadArrays.isAligned(operator)) {
                if (boundary < position + size) {
                    int index = base + boundary - position;
                    if (isReverse) {
                        from = Math.max(from, index + 1);
                    } else {
                        to = Math.min(to, index);
                    }
                    return;
                }
                position += size;
                base += size;
            } else if (operator == DELETION) {
                if (boundary < position + size) {
                    // The deletion is at the end of what is left, and goes with the adaptor.
                    if (isReverse) {
                        from = Math.max(from, base);
                    } else {
                        to = Math.min(to, base);
                    }
                    return;
                }
                position += size;
            } else if (operator != HARD_CLIP) {
                base += size;
            }
        }
    }

    private boolean hasAlignedBase(ReadArrays read) {
        int base = 0;
        for (int k = 0; k < read.elements; k++) {
            int operator = read.operators[k];
            if (operator == DELETION || operator == HARD_CLIP) {
                continue;
            }
            if (ReadArrays.isAligned(operator)
                    && Math.max(base, from) < Math.min(base + read.lengths[k], to)) {
                return true;
            }
            base += read.lengths[k];
        }
        return false;
    }

    /** Marks errors, and bases at known sites. */
    private void mark(ReadArrays read, MaskedReference reference) {
        if (marks.length < read.length) {
            marks = new byte[read.length];
        }
        byte[] positions = reference.positions;
        int base = 0;
        int position = read.start - reference.start;
        for (int k = 0; k < read.elements; k++) {
            int size = read.lengths[k];
            switch (read.operators[k]) {
                case INSERTION:
                    boolean isInSite = position > 0
                            && (positions[position - 1] & MaskedReference.GOES_ON) != 0;
                    for (int j = base; j < base + size; j++) {
                        marks[j] = isInSite ? SKIPPED : 0;
                    }
                    base += size;
                    break;
                case DELETION:
                    position += size;
                    break;
                case SOFT_CLIP:
                    base += size;
                    break;
                case HARD_CLIP:
                    break;
                default:
                    for (int j = 0; j < size; j++) {
                        int there = positions[position + j];
                        marks[base + j] = (byte)
                                (((there & MaskedReference.BASE) != read.codes[base + j]
                                        ? ERROR : 0)
                                | ((there & MaskedReference.SITE) != 0 ? SKIPPED : 0));
                    }
                    position += size;
                    base += size;
            }
        }
        markBesideDeletions(read, reference);
    }

    /** A known site in a deletion stands for the bases on both sides of it. */
    private void markBesideDeletions(ReadArrays read, MaskedReference reference) {
        int base = 0;
        int position = read.start - reference.start;
        for (int k = 0; k < read.elements; k++) {
            int operator = read.operators[k];
            int size = read.lengths[k];
            if (operator == DELETION) {
                if (base > from && base < to) {
                    int sites = 0;
                    for (int j = position; j < position + size; j++) {
                        sites |= reference.positions[j];
                    }
                    if ((sites & MaskedReference.SITE) != 0) {
                        marks[base - 1] |= SKIPPED;
                        marks[base] |= SKIPPED;
                    }
                }
                position += size;
            } else {
                position += ReadArrays.isAligned(operator) ? size : 0;
                base += operator == HARD_CLIP ? 0 : size;
            }
        }
    }

    @Override
    void visit(ReadArrays read, int base, int quality, int context, int cycle) {
        int mark = marks[base];
        if (read.codes[base] == BaseCodes.OTHER || quality < minQuality || (mark & SKIPPED) != 0) {
            return;
        }
        int[] observations = ofGroup[quality];
        if (observations == null) {
            counts.prepare(read.readGroup, quality);
            observations = ofGroup[quality];
        }
        observations[cycle]++;
        observations[contextsStart + context]++;
        if ((mark & ERROR) != 0) {
            int[] errors = counts.errors[read.readGroup][quality];
            errors[cycle]++;
            errors[contextsStart + context]++;
        }
    }
}
