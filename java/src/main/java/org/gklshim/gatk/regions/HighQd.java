package org.gklshim.gatk.regions;

import htsjdk.variant.variantcontext.Allele;
import htsjdk.variant.variantcontext.VariantContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.tools.walkers.annotator.QualByDepth;
import org.broadinstitute.hellbender.utils.Utils;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/**
 * A value of QD that is too high for GATK, in a region that one of several threads calls.
 *
 * <p>QualByDepth writes a random number around 30 for it. Only the text of QD depends on this
 * number, so the thread does not wait for its turn to draw. The record gets this object as its QD,
 * and the number is drawn when all earlier regions are called and have drawn theirs.
 */
public final class HighQd {
    // Those of QualByDepth, whose class file must be known.
    private static final double LIMIT = 35;
    private static final double MEAN = 30;
    private static final double SIGMA = 3;
    private static final String KEY = "QD";

    /** The values of the region that a thread calls. */
    private static final ThreadLocal<OfRegion> OF_REGION = new ThreadLocal<>();

    /** The values of a region, in the order in which GATK draws them. */
    static final class OfRegion {
        static final OfRegion NONE = new OfRegion();

        private final List<HighQd> values = new ArrayList<>();
        private boolean isAnnotating;
        /** The value that QualByDepth has found since it was called, or null. */
        private HighQd found;

        /** Draws the numbers. All earlier regions must have drawn theirs. Returns how many. */
        int draw() {
            values.forEach(HighQd::draw);
            return values.size();
        }
    }

    private double number;
    private boolean isDrawn;

    private HighQd() {}

    /** Begins to keep the values of a region that this thread calls, until {@link #end}. */
    static OfRegion begin() {
        OfRegion region = new OfRegion();
        OF_REGION.set(region);
        return region;
    }

    static void end() {
        OF_REGION.remove();
    }

    /** Takes the place of the method of {@link QualByDepth}. */
    public static Map<String, Object> annotate(QualByDepth annotation, ReferenceContext reference,
            VariantContext variant, AlleleLikelihoods<GATKRead, Allele> likelihoods) {
        OfRegion region = OF_REGION.get();
        if (region == null) {
            return annotation.annotate$original(reference, variant, likelihoods);
        }
        region.isAnnotating = true;
        region.found = null;
        try {
            Map<String, Object> values =
                    annotation.annotate$original(reference, variant, likelihoods);
            return region.found == null ? values : Collections.singletonMap(KEY, region.found);
        } finally {
            region.isAnnotating = false;
        }
    }

    /** Takes the place of the method of {@link QualByDepth}, which AS_QualByDepth calls, too. */
    public static double fixTooHighQD(double qd) {
        OfRegion region = OF_REGION.get();
        if (region == null || !region.isAnnotating || qd < LIMIT) {
            return QualByDepth.fixTooHighQD$original(qd);
        }
        region.found = new HighQd();
        region.values.add(region.found);
        return qd;
    }

    /** Gives a record the text of QD, which the writer of BCF files expects, if it was too high. */
    static void finish(VariantContext variant) {
        Object qd = variant.getAttribute(KEY);
        if (qd instanceof HighQd) {
            variant.getCommonInfo().putAttribute(KEY, qd.toString(), true);
        }
    }

    /** Draws what the region that this thread calls has left to draw. It must be its turn. */
    static void drawEarlier() {
        OfRegion region = OF_REGION.get();
        if (region != null) {
            region.draw();
        }
    }

    private void draw() {
        if (!isDrawn) {
            number = MEAN + Utils.getRandomGenerator$original().nextGaussian() * SIGMA;
            isDrawn = true;
        }
    }

    /**
     * Returns the text of QD. GATK asks for it even before the number is drawn: it prepares the
     * message of an error with the text of all records of a region.
     */
    @Override
    public String toString() {
        return isDrawn ? String.format("%.2f", number) : "not drawn yet";
    }
}
