package org.gklshim.gatk;

import htsjdk.samtools.CigarElement;
import htsjdk.samtools.CigarOperator;
import java.util.List;
import org.broadinstitute.hellbender.utils.pileup.PileupElement;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.records.Adaptor;

/** A read and the positions where it takes part in pileups. */
public final class AlignedRead {
    public final GATKRead read;
    public final List<CigarElement> cigar;
    public final int start;
    /** The last position of the alignment. */
    public final int end;
    /** The first and the last position that are not in an adaptor. */
    public final int first;
    public final int last;

    public AlignedRead(GATKRead read) {
        this.read = read;
        cigar = read.getCigarElements();
        start = read.getStart();
        end = read.getEnd();
        int boundary = read.getAdaptorBoundary();
        int fragment = read.getFragmentLength();
        first = Adaptor.first(start, boundary, fragment, read.isReverseStrand());
        last = Adaptor.last(end, boundary, fragment, read.isReverseStrand());
    }

    /** Returns whether GATK refuses this read: its alignment begins or ends with a deletion. */
    public boolean isMalformed() {
        boolean hasBases = false;
        CigarOperator operator = null;
        for (int k = 0; k < cigar.size(); k++) {
            operator = cigar.get(k).getOperator();
            boolean isEmpty = cigar.get(k).getLength() == 0;
            if (operator == CigarOperator.D && !hasBases && !isEmpty) {
                return true;
            }
            hasBases |= operator.consumesReadBases() && !isEmpty;
        }
        return operator == CigarOperator.D;
    }

    /** Returns whether the read has a base and a quality for all that its alignment has. */
    public boolean hasAllBases() {
        int bases = 0;
        for (int k = 0; k < cigar.size(); k++) {
            if (cigar.get(k).getOperator().consumesReadBases()) {
                bases += cigar.get(k).getLength();
            }
        }
        return bases <= read.getBasesNoCopy().length
                && bases <= read.getBaseQualitiesNoCopy().length;
    }

    /** Returns whether a position of the alignment is not in an adaptor. */
    boolean isInPileup(int position) {
        return first <= position && position <= last;
    }

    /** Returns this read's element of the pileup at a position, or null if it has none there. */
    public PileupElement at(int position) {
        if (!isInPileup(position)) {
            return null;
        }
        int next = start;
        int bases = 0;
        for (int k = 0; k < cigar.size(); k++) {
            CigarElement element = cigar.get(k);
            CigarOperator operator = element.getOperator();
            int length = element.getLength();
            if (operator.consumesReferenceBases()) {
                int offset = position - next;
                if (offset < length) {
                    if (operator == CigarOperator.N) {
                        return null;
                    }
                    // A deleted base has the offset of the base before it.
                    int base = operator.consumesReadBases() ? bases + offset : bases - 1;
                    return new PileupElement(read, base, element, k, offset);
                }
                next += length;
            }
            if (operator.consumesReadBases()) {
                bases += length;
            }
        }
        return null;
    }
}
