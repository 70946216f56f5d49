package org.gklshim.gatk;

import htsjdk.samtools.SAMFileHeader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.ReadUtils;

/** The samples of reads. */
public final class ReadSamples {
    private final SAMFileHeader header;
    private final List<String> names;
    /** The number of the sample of each read group. */
    private final Map<String, Integer> groups = new HashMap<>();

    public ReadSamples(SAMFileHeader header) {
        this.header = header;
        names = new ArrayList<>(ReadUtils.getSamplesFromHeader(header));
    }

    /** Returns the names of the samples, in the order of pileups. */
    public List<String> names() {
        return names;
    }

    /**
     * Returns the number of a read's sample.
     *
     * @throws IllegalStateException if the header does not have the sample, with GATK's message
     */
    public int of(GATKRead read) {
        return groups.computeIfAbsent(read.getReadGroup(), group -> find(read));
    }

    private int find(GATKRead read) {
        String name = read.getReadGroup() == null ? null : ReadUtils.getSampleName(read, header);
        int sample = names.indexOf(name);
        if (sample < 0) {
            throw new IllegalStateException("Offered read with sample name " + name
                    + " to SamplePartitioner but this sample wasn't provided as one of possible"
                    + " samples at construction");
        }
        return sample;
    }
}
