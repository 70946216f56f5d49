package org.gklshim.gatk.likelihoods;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Takes the likelihoods of alleles from those of haplotypes. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String UTILS = "org/broadinstitute/hellbender/utils/";
    private static final String WALKERS = "org/broadinstitute/hellbender/tools/walkers/";

    private Part() {
        super("likelihoods of alleles", new Setting("likelihoods"));
        redirect(UTILS + "genotyper/AlleleLikelihoods", "Likelihoods", "marginalLikelihoodsDirect")
                .open("evidenceBySampleIndex", "valuesBySampleIndex");
        redirect(UTILS + "pairhmm/VectorLoglessPairHMM", "Likelihoods", "initialize")
                .open("haplotypeToHaplotypeListIdxMap");
        redirect(WALKERS + "haplotypecaller/PairHMMLikelihoodCalculationEngine", "PcrErrorModel",
                "applyPCRErrorModel")
                .open("pcrIndelErrorModelCache");
        redirect(WALKERS + "haplotypecaller/PDPairHMMLikelihoodCalculationEngine", "PcrErrorModel",
                "applyPCRErrorModel")
                .open("pcrIndelErrorModelCache");
        know(WALKERS, "haplotypecaller/ReadLikelihoodCalculationEngine");
        know(UTILS, "Utils", "haplotype/Haplotype", "variant/GATKVariantContextUtils");
    }
}
