package org.gklshim.gatk.pileups;

import htsjdk.samtools.SAMSequenceDictionary;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.gklshim.gatk.AlignedRead;
import org.gklshim.gatk.records.BamRecord;

/** The positions of intervals, and one behind each interval, in order. */
final class Sites {
    private static final int DELETION = 2;

    private final SAMSequenceDictionary dictionary;
    private final Iterator<SimpleInterval> intervals;
    /** Bases of reads of a lower mapping quality are not counted. */
    private final int minQuality;
    /** The interval of the position that comes after {@link #ahead}, or null. */
    private SimpleInterval interval;
    private int sequence;
    private int position;
    /** The first positions that were not taken yet. */
    private final ArrayDeque<Site> ahead = new ArrayDeque<>();

    Sites(List<SimpleInterval> intervals, SAMSequenceDictionary dictionary, int minQuality) {
        this.dictionary = dictionary;
        this.minQuality = minQuality;
        this.intervals = intervals.iterator();
        nextInterval();
    }

    private void nextInterval() {
        interval = intervals.hasNext() ? intervals.next() : null;
        if (interval != null) {
            sequence = dictionary.getSequenceIndex(interval.getContig());
            position = interval.getStart();
        }
    }

    private void extend() {
        ahead.add(new Site(interval, sequence, position));
        if (position++ > interval.getEnd()) {
            nextInterval();
        }
    }

    /** Returns the first position, or null if there is none. */
    Site first() {
        if (ahead.isEmpty() && interval != null) {
            extend();
        }
        return ahead.peek();
    }

    void removeFirst() {
        ahead.remove();
    }

    /** Has all positions up to one of a sequence. */
    private void extendTo(int sequence, int last) {
        while (interval != null && (this.sequence < sequence
                || this.sequence == sequence && position <= last)) {
            extend();
        }
    }

    /** Counts the bases of a read from the first position on, up to a last one. */
    void add(int sequence, AlignedRead read, int last) {
        extendTo(sequence, last);
        boolean isCounted = read.read.getMappingQuality() >= minQuality;
        for (Site site : ahead) {
            if (site.sequence != sequence || site.position > last) {
                break;
            }
            site.add(read, isCounted);
        }
    }

    /** Does the same for a record that is aligned, up to its end. */
    void add(BamRecord record) {
        int first = record.firstOutsideAdaptor();
        int last = record.lastOutsideAdaptor();
        boolean isCounted = record.mappingQuality >= minQuality;
        extendTo(record.reference, last);
        int number = 0;
        int start = record.position;
        int base = 0;
        for (Site site : ahead) {
            if (site.sequence != record.reference || site.position > last) {
                break;
            }
            if (site.position < first) {
                continue;
            }
            int element;
            int size;
            while (true) {
                element = record.element(number);
                size = element >>> 4;
                boolean consumesReference = BamRecord.consumesReference(element & 0xf);
                if (consumesReference && site.position - start < size) {
                    break;
                }
                start += consumesReference ? size : 0;
                base += BamRecord.consumesRead(element & 0xf) ? size : 0;
                number++;
            }
            int operator = element & 0xf;
            if (operator == DELETION || !isCounted) {
                site.addUncounted();
            } else {
                site.add(record.base(base + site.position - start));
            }
        }
    }
}
