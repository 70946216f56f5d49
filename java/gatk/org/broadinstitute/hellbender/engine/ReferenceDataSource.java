package org.broadinstitute.hellbender.engine;

import htsjdk.samtools.SAMSequenceDictionary;
import htsjdk.samtools.reference.ReferenceSequence;
import java.util.Iterator;
import org.broadinstitute.hellbender.utils.SimpleInterval;

/** Part of GATK's interface. */
public interface ReferenceDataSource extends GATKDataSource<Byte>, AutoCloseable {
    ReferenceSequence queryAndPrefetch(String contig, long start, long end);

    default ReferenceSequence queryAndPrefetch(SimpleInterval interval) {
        return null;
    }

    SAMSequenceDictionary getSequenceDictionary();

    @Override
    default Iterator<Byte> query(SimpleInterval interval) {
        return null;
    }

    @Override
    default void close() {}
}
