package org.gklshim.gatk;

import org.broadinstitute.hellbender.engine.ReadWalker;
import org.gklshim.GatkPart;
import org.gklshim.gatk.recalibration.ErrorCounting;
import org.gklshim.gatk.recalibration.QualityRecalibration;
import org.gklshim.gatk.records.PrintedReads;
import org.gklshim.gatk.records.RecordTool;
import org.gklshim.gatk.records.RecordTraversal;

/** The traversal of a tool that takes its reads one by one. */
public final class ReadTraversal {
    private static final GatkPart RECALIBRATION = org.gklshim.gatk.recalibration.Part.INSTANCE;
    private static final GatkPart RECORDS = org.gklshim.gatk.records.Part.INSTANCE;

    private ReadTraversal() {}

    /** Takes the place of the method of {@link ReadWalker}. */
    public static void traverse(ReadWalker walker) {
        RecordTool tool = tool(walker);
        if (tool == null) {
            walker.traverse$original();
        } else {
            RecordTraversal.traverse(walker, tool);
        }
    }

    /** Returns our way to do a tool's work, or null if GATK has to do it. */
    private static RecordTool tool(ReadWalker walker) {
        if (PrintedReads.isPrintReads(walker)) {
            return RECORDS.isUsed() ? PrintedReads.of(walker) : null;
        }
        if (!RECALIBRATION.isUsed()) {
            return null;
        }
        RecordTool tool = ErrorCounting.of(walker);
        return tool != null ? tool : QualityRecalibration.of(walker);
    }
}
