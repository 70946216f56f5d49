package org.gklshim.gatk.regions;

import htsjdk.samtools.SAMSequenceDictionary;
import htsjdk.samtools.reference.ReferenceSequence;
import htsjdk.samtools.reference.ReferenceSequenceFile;
import java.util.Iterator;
import java.util.stream.IntStream;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.utils.SimpleInterval;

/**
 * GATK's reader of the reference, for several threads: one of them reads at a time. It is also the
 * file that engines of GATK read. A file of each engine would read the index and the dictionary
 * again, which takes long if there are many contigs.
 */
final class SharedReference implements ReferenceDataSource, ReferenceSequenceFile {
    private final ReferenceDataSource source;

    SharedReference(ReferenceDataSource source) {
        this.source = source;
    }

    @Override
    public synchronized ReferenceSequence queryAndPrefetch(String contig, long start, long end) {
        return source.queryAndPrefetch(contig, start, end);
    }

    @Override
    public synchronized ReferenceSequence queryAndPrefetch(SimpleInterval interval) {
        return source.queryAndPrefetch(interval);
    }

    @Override
    public ReferenceSequence getSubsequenceAt(String contig, long start, long end) {
        return queryAndPrefetch(contig, start, end);
    }

    @Override
    public boolean isIndexed() {
        return true;
    }

    @Override
    public SAMSequenceDictionary getSequenceDictionary() {
        return source.getSequenceDictionary();
    }

    @Override
    public Iterator<Byte> query(SimpleInterval interval) {
        byte[] bases = queryAndPrefetch(interval).getBases();
        return IntStream.range(0, bases.length).mapToObj(k -> bases[k]).iterator();
    }

    /** Regions do not use it. GATK's iterator would read while other threads do. */
    @Override
    public Iterator<Byte> iterator() {
        throw new UnsupportedOperationException();
    }

    /** Engines do not use it, nor the next two methods. */
    @Override
    public ReferenceSequence getSequence(String contig) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ReferenceSequence nextSequence() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void reset() {
        throw new UnsupportedOperationException();
    }

    /** Does nothing: GATK closes its reader. */
    @Override
    public void close() {}
}
