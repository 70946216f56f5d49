package org.gklshim.gatk;

import org.broadinstitute.hellbender.engine.ReadWalker;
import org.gklshim.gatk.recalibration.RecalibrationTraversal;
import org.gklshim.gatk.records.PrintedReads;

/** The traversal of a tool that takes its reads one by one. */
public final class ReadTraversal {
    private ReadTraversal() {}

    /** Takes the place of the method of {@link ReadWalker}. */
    public static void traverse(ReadWalker walker) {
        boolean isDone = PrintedReads.isPrintReads(walker)
                ? org.gklshim.gatk.records.Part.INSTANCE.isUsed() && PrintedReads.traverse(walker)
                : org.gklshim.gatk.recalibration.Part.INSTANCE.isUsed()
                        && RecalibrationTraversal.traverse(walker);
        if (!isDone) {
            walker.traverse$original();
        }
    }
}
