package org.broadinstitute.hellbender.engine;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMSequenceDictionary;
import java.util.stream.Stream;
import org.broadinstitute.hellbender.cmdline.CommandLineProgram;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;
import org.broadinstitute.hellbender.engine.filters.ReadFilter;
import org.broadinstitute.hellbender.transformers.ReadTransformer;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's class, with a method that the agent adds. */
public abstract class GATKTool extends CommandLineProgram {
    public FeatureManager features;
    public int cloudPrefetchBuffer;
    public int cloudIndexPrefetchBuffer;

    public final native SAMFileHeader getHeaderForReads();

    public native SAMSequenceDictionary getBestAvailableSequenceDictionary();

    public native CountingReadFilter makeReadFilter();

    public native Stream<GATKRead> getTransformedReadStream$original(ReadFilter filter);

    public native ReadTransformer makePostReadFilterTransformer();
}
