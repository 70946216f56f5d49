package org.gklshim.gatk.walk;

import htsjdk.samtools.CigarElement;
import htsjdk.samtools.CigarOperator;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.gklshim.gatk.AlignedRead;

/**
 * Sums over reads: how many cover a position, and their debit for a {@link Screen}. A read adds to
 * all its positions at once, so sums are kept from the current position to the last one of all
 * reads.
 */
final class PositionSums {
    private final Screen screen;
    private final ReferenceWindow reference;

    private int position;
    private int depth;
    private int countedDepth;
    /** The last position of all reads that lack bases or qualities. */
    private int lastIncomplete;

    // Position p is at index p & mask. Depths are kept as changes from one position to the next.
    private int mask = (1 << 10) - 1;
    private long[] debits = new long[mask + 1];
    private int[] depthChanges = new int[mask + 1];
    private int[] countedDepthChanges = new int[mask + 1];

    PositionSums(Screen screen, ReferenceDataSource reference) {
        this.screen = screen;
        this.reference = new ReferenceWindow(reference);
    }

    /** Returns the number of reads in the pileup of the current position. */
    int depth() {
        return depth;
    }

    /** Returns whether the current position may be active. */
    boolean mayBeActive() {
        // GATK may fail at a read that lacks bases, so it looks at all its positions.
        return position <= lastIncomplete
                || screen.mayBeActive(countedDepth, debits[position & mask]);
    }

    /** Goes on to a later position: the next one, or one after all reads. */
    void moveTo(int next) {
        debits[position & mask] = 0;
        position = next;
        changeDepth();
    }

    private void changeDepth() {
        int index = position & mask;
        depth += depthChanges[index];
        countedDepth += countedDepthChanges[index];
        depthChanges[index] = 0;
        countedDepthChanges[index] = 0;
    }

    /** Adds a read that starts at the current position. */
    void add(AlignedRead read, boolean isCounted) {
        if (read.end - position >= mask) {
            makeRoom(read.end);
        }
        boolean hasAllBases = read.hasAllBases();
        if (!hasAllBases) {
            lastIncomplete = Math.max(lastIncomplete, read.end);
        }
        boolean hasDebit = isCounted && hasAllBases;
        byte[] bases = reference.load(read.read, read.end);
        int next = read.start;
        int base = 0;
        for (int k = 0; k < read.cigar.size(); k++) {
            CigarElement element = read.cigar.get(k);
            CigarOperator operator = element.getOperator();
            int length = element.getLength();
            if (operator.consumesReferenceBases()) {
                int from = Math.max(next, read.first);
                int to = Math.min(next + length - 1, read.last);
                if (operator != CigarOperator.N && from <= to) {
                    addDepth(from, to, isCounted);
                    // Nothing is active beyond the end of the contig.
                    to = Math.min(to, reference.end());
                    if (hasDebit && operator == CigarOperator.D) {
                        addDeletion(from, to);
                    } else if (hasDebit) {
                        addBases(read, base - next, bases, from, to);
                        addEdges(read, k, base, next, from, to);
                    }
                }
                next += length;
            }
            if (operator.consumesReadBases()) {
                base += length;
            }
        }
        changeDepth();
    }

    private void addDepth(int from, int to, boolean isCounted) {
        depthChanges[from & mask]++;
        depthChanges[to + 1 & mask]--;
        if (isCounted) {
            countedDepthChanges[from & mask]++;
            countedDepthChanges[to + 1 & mask]--;
        }
    }

    private void addDeletion(int from, int to) {
        for (int p = from; p <= to; p++) {
            debits[p & mask] += screen.deletion;
        }
    }

    /** Adds the debits of aligned bases. The base of position p is at index p + shift. */
    private void addBases(AlignedRead read, int shift, byte[] reference, int from, int to) {
        byte[] bases = read.read.getBasesNoCopy();
        byte[] qualities = read.read.getBaseQualitiesNoCopy();
        int referenceShift = -this.reference.start();
        int lowQuality = screen.lowQuality;
        for (int p = from; p <= to; p++) {
            byte quality = qualities[p + shift];
            boolean matches = bases[p + shift] == reference[p + referenceShift];
            if (!matches || quality <= lowQuality) {
                debits[p & mask] += (matches ? screen.match : screen.mismatch)[quality & 0xff];
            }
        }
    }

    /**
     * Adds the debits of the first and the last base of an element.
     *
     * @param k the number of the element
     * @param base the number of its first base
     * @param start the position of its first base
     * @param from the first position that counts
     * @param to the last position that counts
     */
    private void addEdges(AlignedRead read, int k, int base, int start, int from, int to) {
        int length = read.cigar.get(k).getLength();
        if (k > 0 && from == start) {
            addEdge(read, base, start, k, -1);
        }
        if (k + 1 < read.cigar.size() && to == start + length - 1) {
            addEdge(read, base + length - 1, to, k, 1);
        }
    }

    /** Adds the debit of the base of element k that is beside element k + step. */
    private void addEdge(AlignedRead read, int base, int at, int k, int step) {
        CigarOperator operator = read.cigar.get(k + step).getOperator();
        // GATK looks past clips and insertions for a deletion. Else nothing is beyond a hard clip.
        for (int n = k + step; n >= 0 && n < read.cigar.size(); n += step) {
            CigarOperator next = read.cigar.get(n).getOperator();
            if (next == CigarOperator.D) {
                operator = next;
            }
            if (next.consumesReferenceBases() && next != CigarOperator.N) {
                break;
            }
        }
        if (operator != CigarOperator.H) {
            debits[at & mask] += screen.edge(operator, read.read.getBaseQualitiesNoCopy()[base]);
        }
    }

    private void makeRoom(int end) {
        int size = Integer.highestOneBit(end - position + 1) << 1;
        long[] newDebits = new long[size];
        int[] newDepthChanges = new int[size];
        int[] newCountedDepthChanges = new int[size];
        for (int k = 0; k <= mask; k++) {
            int from = position + k & mask;
            int to = position + k & size - 1;
            newDebits[to] = debits[from];
            newDepthChanges[to] = depthChanges[from];
            newCountedDepthChanges[to] = countedDepthChanges[from];
        }
        mask = size - 1;
        debits = newDebits;
        depthChanges = newDepthChanges;
        countedDepthChanges = newCountedDepthChanges;
    }
}
