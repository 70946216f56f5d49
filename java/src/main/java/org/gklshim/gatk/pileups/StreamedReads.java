package org.gklshim.gatk.pileups;

import htsjdk.samtools.SAMSequenceDictionary;
import java.util.Iterator;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.records.BamRecord;

/** The reads that GATK has filtered. */
final class StreamedReads implements SiteReads {
    private final Iterator<GATKRead> reads;
    private final SAMSequenceDictionary dictionary;
    private GATKRead read;

    StreamedReads(Iterator<GATKRead> reads, SAMSequenceDictionary dictionary) {
        this.reads = reads;
        this.dictionary = dictionary;
    }

    @Override
    public boolean next() {
        read = reads.hasNext() ? reads.next() : null;
        return read != null;
    }

    @Override
    public int sequence() {
        return dictionary.getSequenceIndex(read.getContig());
    }

    @Override
    public int start() {
        return read.getStart();
    }

    @Override
    public BamRecord record() {
        return null;
    }

    @Override
    public GATKRead read() {
        return read;
    }
}
