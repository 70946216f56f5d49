package org.gklshim.gatk.pileups;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMSequenceDictionary;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.broadinstitute.hellbender.engine.AlignmentContext;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.pileup.PileupElement;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.AlignedRead;
import org.gklshim.gatk.ReadSamples;
import org.gklshim.gatk.Refusal;

/**
 * The pileups of the positions of intervals that reads cover, in order. GATK makes the pileups of all
 * positions that these reads cover, and leaves out most of them.
 */
final class SitePileups implements Iterator<AlignmentContext> {
    private final Iterator<GATKRead> reads;
    private final ReadSamples samples;
    private final SAMSequenceDictionary dictionary;
    private final Iterator<SimpleInterval> intervals;
    private SimpleInterval interval;
    private int sequence;
    private int position;
    /** The next read, or null, and its sequence. */
    private GATKRead read;
    private int readSequence;
    /** The reads that cover the position, and some that end before it. */
    private List<AlignedRead> taken = new ArrayList<>();
    private int takenSequence = -1;
    private AlignmentContext next;
    /** What GATK throws first because of a read that was taken, or null. */
    private Refusal refusal;
    private int refusalSequence;

    /**
     * Finds the first pileup.
     *
     * @param reads the reads, in order
     * @param intervals intervals in order, which do not overlap, of sequences of the reads' header
     */
    SitePileups(Iterator<GATKRead> reads, SAMFileHeader header, List<SimpleInterval> intervals) {
        this.reads = reads;
        this.intervals = intervals.iterator();
        samples = new ReadSamples(header);
        dictionary = header.getSequenceDictionary();
        fetch();
        nextInterval();
        find();
    }

    @Override
    public boolean hasNext() {
        return next != null;
    }

    @Override
    public AlignmentContext next() {
        if (next == null) {
            throw new NoSuchElementException();
        }
        AlignmentContext found = next;
        find();
        return found;
    }

    private void fetch() {
        read = reads.hasNext() ? reads.next() : null;
        if (read != null) {
            readSequence = dictionary.getSequenceIndex(read.getContig());
        }
    }

    private void nextInterval() {
        interval = intervals.hasNext() ? intervals.next() : null;
        if (interval != null) {
            sequence = dictionary.getSequenceIndex(interval.getContig());
            position = interval.getStart();
        }
    }

    /** Finds the next position that reads cover. */
    private void find() {
        next = null;
        while (next == null && interval != null) {
            // GATK, too, makes a pileup behind the interval to see that it is at the end.
            take();
            if (position > interval.getEnd()) {
                nextInterval();
            } else {
                next = pileup();
                position++;
            }
        }
    }

    /** Takes all reads that begin at the position or before. */
    private void take() {
        while (read != null && (readSequence < sequence
                || readSequence == sequence && read.getStart() <= position)) {
            failBefore(readSequence, read.getStart());
            samples.of(read);
            AlignedRead aligned = new AlignedRead(read);
            Refusal own = Refusal.of(aligned);
            if (own != null && (refusal == null || refusalSequence == readSequence
                    && own.position < refusal.position)) {
                refusal = own;
                refusalSequence = readSequence;
            }
            if (takenSequence != readSequence) {
                taken.clear();
                takenSequence = readSequence;
            }
            if (readSequence == sequence && aligned.end >= position) {
                taken.add(aligned);
            }
            fetch();
        }
        failBefore(sequence, position + 1);
    }

    /** Throws GATK's exception if it has failed before a position. */
    private void failBefore(int sequence, int position) {
        if (refusal != null && (refusalSequence < sequence
                || refusalSequence == sequence && refusal.position < position)) {
            throw refusal.exception;
        }
    }

    /** Returns the pileup of the position, or null if it is empty. */
    private AlignmentContext pileup() {
        if (takenSequence != sequence || taken.isEmpty()) {
            return null;
        }
        List<PileupElement> elements = new ArrayList<>(taken.size());
        List<AlignedRead> left = new ArrayList<>(taken.size());
        for (AlignedRead each : taken) {
            if (each.end >= position) {
                left.add(each);
                PileupElement element = each.at(position);
                if (element != null) {
                    elements.add(element);
                }
            }
        }
        taken = left;
        if (elements.isEmpty()) {
            return null;
        }
        SimpleInterval location = new SimpleInterval(interval.getContig(), position, position);
        return new AlignmentContext(location, new ReadPileup(location, elements));
    }
}
