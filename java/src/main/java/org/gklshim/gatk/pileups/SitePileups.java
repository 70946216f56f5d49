package org.gklshim.gatk.pileups;

import htsjdk.samtools.SAMFileHeader;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.broadinstitute.hellbender.engine.AlignmentContext;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.gklshim.gatk.AlignedRead;
import org.gklshim.gatk.ReadSamples;
import org.gklshim.gatk.Refusal;

/**
 * The pileups of the positions of intervals that reads cover, in order. GATK makes the pileups of
 * all positions that these reads cover, and leaves out most of them.
 */
final class SitePileups implements Iterator<AlignmentContext> {
    private final SiteReads reads;
    private final ReadSamples samples;
    private final Sites sites;
    /** Whether there is a next read. */
    private boolean hasRead;
    private AlignmentContext next;
    /** The sequence of the last read that was taken, and where the alignments on it end. */
    private int sequence = -1;
    private int end;
    /** What GATK throws first because of a read that was taken, or null. */
    private Refusal refusal;
    private int refusalSequence;

    /**
     * Finds the first pileup.
     *
     * @param intervals intervals in order, which do not overlap, of sequences of the reads' header
     * @param minQuality the lowest mapping quality of reads whose bases are counted
     */
    SitePileups(SiteReads reads, SAMFileHeader header, List<SimpleInterval> intervals,
            int minQuality) {
        this.reads = reads;
        samples = new ReadSamples(header);
        sites = new Sites(intervals, header.getSequenceDictionary(), minQuality);
        hasRead = reads.next();
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

    /** Finds the next position that reads cover. */
    private void find() {
        next = null;
        for (Site site; next == null && (site = sites.first()) != null;) {
            // GATK, too, makes a pileup behind the interval to see that it is at the end.
            takeReads(site);
            next = site.context();
            sites.removeFirst();
        }
    }

    /** Takes all reads that begin at the first position or before. */
    private void takeReads(Site first) {
        while (hasRead && reads.sequence() >= 0 && (reads.sequence() < first.sequence
                || reads.sequence() == first.sequence && reads.start() <= first.position)) {
            failBefore(reads.sequence(), reads.start());
            if (reads.record() == null) {
                takeRead(first);
            } else {
                extend(reads.record().lastPosition());
                if (reads.sequence() == first.sequence) {
                    sites.add(reads.record());
                }
            }
            hasRead = reads.next();
        }
        failBefore(first.sequence, first.position + 1);
        failAtUnmappedRead(first);
    }

    private void extend(int last) {
        end = reads.sequence() == sequence ? Math.max(end, last) : last;
        sequence = reads.sequence();
    }

    /**
     * Fails as GATK does because of an unmapped read that has passed the filters. GATK takes no
     * read behind it, and fails where those before it end, when it asks for its contig.
     */
    private void failAtUnmappedRead(Site first) {
        if (hasRead && reads.sequence() < 0
                && (sequence < first.sequence || end < first.position)) {
            reads.read().getContig().equals(null);
        }
    }

    private void takeRead(Site first) {
        samples.of(reads.read());
        AlignedRead aligned = new AlignedRead(reads.read());
        extend(aligned.end);
        Refusal own = Refusal.of(aligned);
        if (own != null && (refusal == null || refusalSequence == reads.sequence()
                && own.position < refusal.position)) {
            refusal = own;
            refusalSequence = reads.sequence();
        }
        if (reads.sequence() == first.sequence) {
            // GATK fails before it counts a base that the read does not have.
            sites.add(first.sequence, aligned,
                    own == null ? aligned.end : Math.min(aligned.end, own.position - 1));
        }
    }

    /** Throws GATK's exception if it has failed before a position. */
    private void failBefore(int sequence, int position) {
        if (refusal != null && (refusalSequence < sequence
                || refusalSequence == sequence && refusal.position < position)) {
            throw refusal.exception;
        }
    }
}
