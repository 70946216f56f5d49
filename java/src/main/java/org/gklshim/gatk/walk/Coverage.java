package org.gklshim.gatk.walk;

import htsjdk.samtools.CigarElement;
import htsjdk.samtools.CigarOperator;
import htsjdk.samtools.SAMFileHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.Utils;
import org.broadinstitute.hellbender.utils.locusiterator.AlignmentStateMachine;
import org.broadinstitute.hellbender.utils.pileup.PileupElement;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.ReadUtils;

/**
 * A walk along the positions of a contig that reads cover, in place of GATK's LocusIteratorByState.
 * It takes reads from their source where that class would, but looks at each read only once: it adds
 * the read's bases to sums of the positions from the current one on. It makes pileups on demand.
 */
final class Coverage {
    /** The position after the last covered one. */
    static final int END = Integer.MAX_VALUE;

    private final ReadSource source;
    private final SAMFileHeader header;
    private final Screen screen;
    private final ReferenceWindow reference;

    /** The reads that reach the current position, of each sample in the order of their names. */
    private final List<List<AlignedRead>> open = new ArrayList<>();
    private final boolean[] counts;
    /** The number of each sample. */
    private final Map<String, Integer> samples = new HashMap<>();
    private int opened;
    private int openedAtCleanup = 64;

    private int position;
    /** The last position of all reads. */
    private int lastEnd;
    private int depth;
    private int countedDepth;

    // Sums of the positions from the current one on: position p is at index p & mask.
    private int mask;
    private long[] debits = new long[0];
    private int[] depthChanges = new int[0];
    private int[] countedDepthChanges = new int[0];

    Coverage(ReadSource source, SAMFileHeader header, ReferenceDataSource reference,
            Screen screen) {
        this.source = source;
        this.header = header;
        this.screen = screen;
        this.reference = new ReferenceWindow(reference);
        List<String> names = new ArrayList<>(ReadUtils.getSamplesFromHeader(header));
        counts = new boolean[names.size()];
        for (int k = 0; k < names.size(); k++) {
            samples.put(names.get(k), k);
            counts[k] = screen.counts(names.get(k));
            open.add(new ArrayList<>());
        }
        grow(1 << 10);
    }

    /** Returns the current position: 0 at first, {@link #END} after the last one. */
    int position() {
        return position;
    }

    /** Returns the number of reads in the pileup of this position. */
    int depth() {
        return depth;
    }

    /** Returns whether this position may be active. */
    boolean mayBeActive() {
        return screen.mayBeActive(countedDepth, debits[position & mask]);
    }

    /** Goes on to the first covered position that is not before this one. */
    void moveTo(int target) {
        while (position < target) {
            move();
        }
    }

    private void move() {
        debits[position & mask] = 0;
        do {
            position++;
            changeDepth();
            if (position > lastEnd) {
                if (source.peek() == null) {
                    position = END;
                    return;
                }
                position = source.peek().getStart();
            }
            while (source.peek() != null && source.peek().getStart() == position) {
                add(source.take());
            }
            changeDepth();
        } while (depth == 0);
    }

    private void changeDepth() {
        int index = position & mask;
        depth += depthChanges[index];
        countedDepth += countedDepthChanges[index];
        depthChanges[index] = 0;
        countedDepthChanges[index] = 0;
    }

    private void add(GATKRead read) {
        int sample = sample(read);
        AlignedRead aligned = new AlignedRead(read);
        if (aligned.end < aligned.start) {
            return;
        }
        if (isMalformed(aligned)) {
            fail(read);
        }
        lastEnd = Math.max(lastEnd, aligned.end);
        if (lastEnd - position >= mask) {
            grow(lastEnd - position + 2);
        }
        if (++opened > 2 * openedAtCleanup) {
            dropClosed();
        }
        open.get(sample).add(aligned);
        addSums(aligned, counts[sample]);
    }

    private int sample(GATKRead read) {
        String name = read.getReadGroup() == null ? null : ReadUtils.getSampleName(read, header);
        Integer sample = samples.get(name);
        Utils.validate(sample != null, () -> "Offered read with sample name " + name
                + " but this sample is not in the header");
        return sample;
    }

    /** Returns whether GATK refuses a read because its alignment begins or ends with a deletion. */
    private static boolean isMalformed(AlignedRead read) {
        boolean hasBases = false;
        CigarOperator operator = null;
        for (int k = 0; k < read.cigar.size(); k++) {
            CigarElement element = read.cigar.get(k);
            operator = element.getOperator();
            if (operator == CigarOperator.D && !hasBases && element.getLength() > 0) {
                return true;
            }
            hasBases |= operator.consumesReadBases() && element.getLength() > 0;
        }
        return operator == CigarOperator.D;
    }

    /** Throws GATK's exception for such a read. */
    private static void fail(GATKRead read) {
        AlignmentStateMachine steps = new AlignmentStateMachine(read);
        while (steps.stepForwardOnGenome() != null) {
            // The exception comes with one of the steps.
        }
    }

    private void addSums(AlignedRead aligned, boolean isCounted) {
        byte[] bases = aligned.read.getBasesNoCopy();
        byte[] qualities = aligned.read.getBaseQualitiesNoCopy();
        int last = Math.min(aligned.last, reference.contigLength(aligned.read));
        byte[] referenceBases = reference.load(aligned.read, aligned.end);
        int referenceStart = reference.start();
        int next = aligned.start;
        int base = 0;
        int elements = aligned.cigar.size();
        for (int k = 0; k < elements; k++) {
            CigarElement element = aligned.cigar.get(k);
            CigarOperator operator = element.getOperator();
            int length = element.getLength();
            if (operator.consumesReferenceBases()) {
                if (operator != CigarOperator.N && length > 0) {
                    int from = Math.max(next, aligned.first);
                    int to = Math.min(next + length - 1, aligned.last);
                    if (from <= to) {
                        addDepth(from, to, isCounted);
                    }
                    to = Math.min(to, last);
                    if (isCounted && operator == CigarOperator.D) {
                        for (int p = from; p <= to; p++) {
                            debits[p & mask] += screen.deletion;
                        }
                    } else if (isCounted) {
                        addBases(bases, qualities, base - next, referenceBases, referenceStart,
                                from, to);
                        int end = next + length - 1;
                        if (from == next && k > 0) {
                            addEdge(next, aligned.cigar.get(k - 1), qualities[base]);
                        }
                        if (to == end && k + 1 < elements) {
                            addEdge(end, aligned.cigar.get(k + 1), qualities[base + length - 1]);
                        }
                    }
                }
                next += length;
            }
            if (operator.consumesReadBases()) {
                base += length;
            }
        }
    }

    private void addEdge(int position, CigarElement neighbour, byte quality) {
        // Nothing but the end of the read is beyond a hard clip.
        if (neighbour.getOperator() != CigarOperator.H) {
            debits[position & mask] += screen.edge(neighbour.getOperator(), quality);
        }
    }

    private void addDepth(int from, int to, boolean isCounted) {
        depthChanges[from & mask]++;
        depthChanges[to + 1 & mask]--;
        if (isCounted) {
            countedDepthChanges[from & mask]++;
            countedDepthChanges[to + 1 & mask]--;
        }
    }

    /** Adds what aligned bases do not have in common with the reference. */
    private void addBases(byte[] bases, byte[] qualities, int shift, byte[] referenceBases,
            int referenceStart, int from, int to) {
        int lowQuality = screen.lowQuality;
        for (int p = from; p <= to; p++) {
            byte quality = qualities[p + shift];
            boolean matches = bases[p + shift] == referenceBases[p - referenceStart];
            if (!matches || quality <= lowQuality) {
                debits[p & mask] += (matches ? screen.match : screen.mismatch)[quality & 0xff];
            }
        }
    }

    private void grow(int least) {
        int size = Math.max(2 * debits.length, Integer.highestOneBit(least - 1) << 1);
        long[] newDebits = new long[size];
        int[] newDepthChanges = new int[size];
        int[] newCountedDepthChanges = new int[size];
        for (int k = 0; k < debits.length; k++) {
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

    /** Returns the pileup of this position, as GATK's. */
    ReadPileup pileup(SimpleInterval location) {
        dropClosed();
        List<PileupElement> elements = new ArrayList<>(depth);
        for (List<AlignedRead> reads : open) {
            for (AlignedRead read : reads) {
                PileupElement element = read.at(position);
                if (element != null) {
                    elements.add(element);
                }
            }
        }
        return new ReadPileup(location, elements);
    }

    private void dropClosed() {
        opened = 0;
        for (List<AlignedRead> reads : open) {
            reads.removeIf(read -> read.end < position);
            opened += reads.size();
        }
        openedAtCleanup = Math.max(64, opened);
    }
}
