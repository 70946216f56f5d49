package org.gklshim.gatk.walk;

import htsjdk.samtools.SAMFileHeader;
import java.util.ArrayList;
import java.util.List;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.pileup.PileupElement;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.AlignedRead;
import org.gklshim.gatk.ReadSamples;
import org.gklshim.gatk.Refusal;

/**
 * The positions of a contig that reads cover, one after the other, in place of GATK's
 * LocusIteratorByState. It takes reads from their source where that class would, but looks at each
 * read only once, and makes a pileup only on demand.
 */
final class Coverage {
    /** The position after the last covered one. */
    static final int END = Integer.MAX_VALUE;

    private static final int LEAST_READS_TO_CLEAN_UP = 128;

    private final String contig;
    private final ShardReads source;
    private final PositionSums sums;

    private final ReadSamples samples;
    private final boolean[] isCounted;
    /** The reads of each sample that start at the current position, until they are added. */
    private final List<List<GATKRead>> starting = new ArrayList<>();
    /** The reads of each sample that reach the current position, and some that do not any more. */
    private final List<List<AlignedRead>> open = new ArrayList<>();
    private int openReads;
    private int readsToCleanUp = LEAST_READS_TO_CLEAN_UP;

    private int position;
    /** The last position of all reads. */
    private int lastEnd;
    /** What GATK throws first because of a read, or null. */
    private Refusal refusal;

    Coverage(String contig, ShardReads source, SAMFileHeader header,
            ReferenceDataSource reference, Screen screen) {
        this.contig = contig;
        this.source = source;
        sums = new PositionSums(screen, reference);
        samples = new ReadSamples(header);
        isCounted = new boolean[samples.names().size()];
        for (int k = 0; k < isCounted.length; k++) {
            isCounted[k] = screen.counts(samples.names().get(k));
            starting.add(new ArrayList<>());
            open.add(new ArrayList<>());
        }
    }

    /** Returns the current position: 0 at first, {@link #END} after the last one. */
    int position() {
        return position;
    }

    /** Returns the number of reads in the pileup of this position. */
    int depth() {
        return sums.depth();
    }

    /** Returns whether this position may be active. */
    boolean mayBeActive() {
        return sums.mayBeActive();
    }

    /** Goes on to the first covered position that is not before this one. */
    void moveTo(int target) {
        while (position < target) {
            move();
        }
    }

    private void move() {
        do {
            position++;
            sums.moveTo(position);
            if (position > lastEnd) {
                if (source.peek() == null) {
                    position = END;
                    return;
                }
                position = source.peek().getStart();
                sums.moveTo(position);
            }
            addStarting();
            if (refusal != null && refusal.position == position) {
                throw refusal.exception;
            }
        } while (sums.depth() == 0);
    }

    /** Adds the reads that start at this position, in GATK's order: one of them may fail. */
    private void addStarting() {
        while (source.peek() != null && isStarting(source.peek())) {
            GATKRead read = source.take();
            starting.get(samples.of(read)).add(read);
        }
        for (int k = 0; k < starting.size(); k++) {
            for (GATKRead read : starting.get(k)) {
                add(read, k);
            }
            starting.get(k).clear();
        }
    }

    private boolean isStarting(GATKRead read) {
        // An unmapped read has position 0 and no contig. Nothing covers 0, so this is reached after
        // all reads before it. GATK, too, fails there with a NullPointerException.
        return read.getStart() == position && read.getContig().equals(contig);
    }

    private void add(GATKRead read, int sample) {
        AlignedRead aligned = new AlignedRead(read);
        Refusal refusal = Refusal.of(aligned);
        if (refusal != null
                && (this.refusal == null || refusal.position < this.refusal.position)) {
            this.refusal = refusal;
        }
        if (aligned.end < aligned.start) {
            return;
        }
        lastEnd = Math.max(lastEnd, aligned.end);
        if (++openReads > readsToCleanUp) {
            cleanUp();
        }
        open.get(sample).add(aligned);
        sums.add(aligned, isCounted[sample]);
    }

    /** Returns the pileup of this position, as GATK makes it. */
    ReadPileup pileup(SimpleInterval location) {
        cleanUp();
        List<PileupElement> elements = new ArrayList<>(depth());
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

    /** Forgets the reads that do not reach this position. */
    private void cleanUp() {
        openReads = 0;
        for (List<AlignedRead> reads : open) {
            reads.removeIf(read -> read.end < position);
            openReads += reads.size();
        }
        readsToCleanUp = Math.max(LEAST_READS_TO_CLEAN_UP, 2 * openReads);
    }
}
