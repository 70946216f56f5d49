package org.gklshim.gatk.walk;

import htsjdk.samtools.SAMFileHeader;
import java.util.ArrayList;
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
import org.gklshim.gatk.AlignedRead;

/**
 * The positions of a contig that reads cover, one after the other, in place of GATK's
 * LocusIteratorByState. It takes reads from their source where that class would, but looks at each
 * read only once, and makes a pileup only on demand.
 */
final class Coverage {
    /** The position after the last covered one. */
    static final int END = Integer.MAX_VALUE;

    private static final int LEAST_READS_TO_CLEAN_UP = 128;

    private final ReadSource source;
    private final SAMFileHeader header;
    private final PositionSums sums;

    /** The names of the samples, in the order of pileups. */
    private final List<String> samples;
    private final boolean[] isCounted;
    /** The number of the sample of each read group. */
    private final Map<String, Integer> groups = new HashMap<>();
    /** The reads of each sample that reach the current position, and some that do not any more. */
    private final List<List<AlignedRead>> open = new ArrayList<>();
    private int openReads;
    private int readsToCleanUp = LEAST_READS_TO_CLEAN_UP;

    private int position;
    /** The last position of all reads. */
    private int lastEnd;

    Coverage(ReadSource source, SAMFileHeader header, ReferenceDataSource reference,
            Screen screen) {
        this.source = source;
        this.header = header;
        sums = new PositionSums(screen, reference);
        samples = new ArrayList<>(ReadUtils.getSamplesFromHeader(header));
        isCounted = new boolean[samples.size()];
        for (int k = 0; k < samples.size(); k++) {
            isCounted[k] = screen.counts(samples.get(k));
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
            while (source.peek() != null && source.peek().getStart() == position) {
                add(source.take());
            }
        } while (sums.depth() == 0);
    }

    private void add(GATKRead read) {
        if (read.getContig() == null) {
            throw new IllegalStateException("read " + read.getName() + " is not mapped; do not "
                    + "disable MappedReadFilter, without which stock GATK fails, too");
        }
        int sample = groups.computeIfAbsent(read.getReadGroup(), group -> sample(read));
        AlignedRead aligned = new AlignedRead(read);
        if (aligned.isMalformed()) {
            fail(read);
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

    private int sample(GATKRead read) {
        String name = read.getReadGroup() == null ? null : ReadUtils.getSampleName(read, header);
        int sample = samples.indexOf(name);
        Utils.validate(sample >= 0, () -> "Offered read with sample name " + name
                + " but this sample is not in the header");
        return sample;
    }

    /** Throws GATK's exception for a read that is malformed. */
    private static void fail(GATKRead read) {
        AlignmentStateMachine steps = new AlignmentStateMachine(read);
        while (steps.stepForwardOnGenome() != null) {
            // One of the steps fails.
        }
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
