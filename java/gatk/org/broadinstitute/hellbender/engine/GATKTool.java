package org.broadinstitute.hellbender.engine;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMSequenceDictionary;
import org.broadinstitute.hellbender.cmdline.CommandLineProgram;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;
import org.broadinstitute.hellbender.transformers.ReadTransformer;

/** Part of GATK's class. */
public abstract class GATKTool extends CommandLineProgram {
    public FeatureManager features;
    public int cloudPrefetchBuffer;
    public int cloudIndexPrefetchBuffer;

    public final native SAMFileHeader getHeaderForReads();

    public native SAMSequenceDictionary getBestAvailableSequenceDictionary();

    public native CountingReadFilter makeReadFilter();

    public native ReadTransformer makePostReadFilterTransformer();
}
