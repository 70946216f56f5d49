package org.gklshim.gatk.pileups;

import org.gklshim.GatkPart;
import org.gklshim.Setting;
import org.gklshim.gatk.records.RecordClasses;

/** Makes the pileups of GetPileupSummaries. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String ENGINE = "org/broadinstitute/hellbender/engine/";
    private static final String UTILS = "org/broadinstitute/hellbender/utils/";
    private static final String WALKERS = "org/broadinstitute/hellbender/tools/walkers/";

    private Part() {
        super("pileup summaries", new Setting("pileups"));
        redirect(ENGINE + "LocusWalker", "LocusPileups", "getAlignmentContextIterator");
        know(WALKERS, "contamination/GetPileupSummaries", "contamination/PileupSummary");
        know(UTILS, "iterators/IntervalOverlappingIterator",
                "locusiterator/AlignmentContextIteratorBuilder",
                "locusiterator/AlignmentStateMachine", "locusiterator/LocusIteratorByState",
                "locusiterator/ReadStateManager", "locusiterator/SamplePartitioner",
                "pileup/PileupElement", "pileup/ReadPileup", "read/ReadUtils");
        know("", RecordClasses.OBJECTS);
    }
}
