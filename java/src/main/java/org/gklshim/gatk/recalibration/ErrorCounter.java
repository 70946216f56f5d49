package org.gklshim.gatk.recalibration;

import static org.gklshim.gatk.records.BamFormat.DELETION;
import static org.gklshim.gatk.records.BamFormat.HARD_CLIP;
import static org.gklshim.gatk.records.BamFormat.INSERTION;
import static org.gklshim.gatk.records.BamFormat.REVERSE;
import static org.gklshim.gatk.records.BamFormat.SOFT_CLIP;

import java.util.Arrays;
import org.broadinstitute.hellbender.utils.recalibration.RecalibrationArgumentCollection;
import org.gklshim.gatk.records.BamRecord;

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
    private final int cyclesStart;
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
        cyclesStart = counts.cyclesStart;
        minQuality = arguments.PRESERVE_QSCORES_LESS_THAN;
        maximumCycle = arguments.MAXIMUM_CYCLE_VALUE;
    }

    /** Returns whether a read is usual: if not, GATK has to process it. */
    boolean isUsual(ReadArrays read) {
        return read.record.isAligned() && findPart(read.record) && to - from <= maximumCycle
                && read.hasPlainQualities(from, to, tailQuality);
    }

    /**
     * Makes room for the counts of the read for which {@link #isUsual} was just called. Returns
     * false if GATK has to process it.
     */
    boolean makeRoom(ReadArrays read) {
        return counts.makeRoom(read, from, to);
    }

    /** Counts the read for which {@link #makeRoom} was just called. */
    void count(ReadArrays read, MaskedReference reference) {
        mark(read, reference);
        ofGroup = counts.ofGroup(read.readGroup);
        visitAll(read, from, to);
    }

    /**
     * Finds the part of a read that is left without soft clips and adaptor. Returns false if no
     * base of it is aligned.
     */
    private boolean findPart(BamRecord record) {
        from = 0;
        to = record.length;
        int base = 0;
        for (int k = 0; k < record.elements(); k++) {
            int operator = record.element(k) & 0xf;
            int size = record.element(k) >>> 4;
            if (operator == SOFT_CLIP) {
                if (base == 0) {
                    from = size;
                } else {
                    to = base;
                }
            }
            base += BamRecord.consumesRead(operator) ? size : 0;
        }
        clipAdaptor(record);
        return hasAlignedBase(record);
    }

    /** Leaves out what lies beyond the start of the mate. */
    private void clipAdaptor(BamRecord record) {
        int boundary = record.adaptorBoundary();
        if (boundary < record.position || boundary > record.lastPosition()) {
            return;
        }
        int base = 0;
        int position = record.position;
        for (int k = 0; k < record.elements(); k++) {
            int operator = record.element(k) & 0xf;
            int size = record.element(k) >>> 4;
            boolean isInReference = BamRecord.consumesReference(operator);
            if (isInReference && boundary < position + size) {
                // A deletion is at the end of what is left, and goes with the adaptor.
                boolean isMatch = BamRecord.isMatch(operator);
                int index = isMatch ? base + boundary - position : base;
                if (record.has(REVERSE)) {
                    from = Math.max(from, isMatch ? index + 1 : index);
                } else {
                    to = Math.min(to, index);
                }
                return;
            }
            position += isInReference ? size : 0;
            base += BamRecord.consumesRead(operator) ? size : 0;
        }
    }

    private boolean hasAlignedBase(BamRecord record) {
        int base = 0;
        for (int k = 0; k < record.elements(); k++) {
            int operator = record.element(k) & 0xf;
            int size = record.element(k) >>> 4;
            if (BamRecord.isMatch(operator) && Math.max(base, from) < Math.min(base + size, to)) {
                return true;
            }
            base += BamRecord.consumesRead(operator) ? size : 0;
        }
        return false;
    }

    /** Marks errors, and bases at known sites. */
    private void mark(ReadArrays read, MaskedReference reference) {
        if (marks.length < read.length) {
            marks = new byte[read.length];
        }
        BamRecord record = read.record;
        byte[] positions = reference.positions;
        int base = 0;
        int position = record.position - reference.start;
        for (int k = 0; k < record.elements(); k++) {
            int size = record.element(k) >>> 4;
            switch (record.element(k) & 0xf) {
                case INSERTION:
                    boolean isInSite = position > 0
                            && (positions[position - 1] & MaskedReference.GOES_ON) != 0;
                    Arrays.fill(marks, base, base + size, isInSite ? SKIPPED : 0);
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
        markBesideDeletions(record, reference);
    }

    /** A known site in a deletion stands for the bases on both sides of it. */
    private void markBesideDeletions(BamRecord record, MaskedReference reference) {
        int base = 0;
        int position = record.position - reference.start;
        for (int k = 0; k < record.elements(); k++) {
            int operator = record.element(k) & 0xf;
            int size = record.element(k) >>> 4;
            if (operator == DELETION && base > from && base < to) {
                int sites = 0;
                for (int j = position; j < position + size; j++) {
                    sites |= reference.positions[j];
                }
                if ((sites & MaskedReference.SITE) != 0) {
                    marks[base - 1] |= SKIPPED;
                    marks[base] |= SKIPPED;
                }
            }
            position += BamRecord.consumesReference(operator) ? size : 0;
            base += BamRecord.consumesRead(operator) ? size : 0;
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
        observations[cyclesStart + cycle]++;
        observations[context + 1]++;
        if ((mark & ERROR) != 0) {
            int[] errors = counts.errors[read.readGroup][quality];
            errors[cyclesStart + cycle]++;
            errors[context + 1]++;
        }
    }
}
