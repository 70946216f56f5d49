package org.gklshim.gatk.annotations;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Computes rank-sum tests of short series. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String UTILS = "org/broadinstitute/hellbender/utils/";

    private Part() {
        super("rank-sum tests", new Setting("annotations"));
        redirect(UTILS + "MannWhitneyU", "RankSums", "permutationTest");
        know(UTILS, "MannWhitneyU$Rank", "MathUtils");
    }
}
