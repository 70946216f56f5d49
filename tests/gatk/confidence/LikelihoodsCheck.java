package org.gklshim.gatk.likelihoods;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.gklshim.CheckAgent;

/**
 * Compares the likelihoods of alleles with GATK's, to the last bit, in a run of HaplotypeCaller,
 * and numbers of haplotypes with those of a LinkedHashMap. Prints what it has found at the end.
 */
public final class LikelihoodsCheck {
    private static int calls;
    private static int merged;
    private static int different;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(
                "likelihoods: " + calls + " calls, " + merged + " merged, " + different
                        + " different, numbers " + (numbersAreEqual() ? "equal" : "differ"))));
    }

    private LikelihoodsCheck() {}

    /** Is called in place of our method. */
    public static double[][][] marginalLikelihoodsDirect(AlleleLikelihoods<?, ?> likelihoods,
            int alleles, List<BitSet> oldAlleles) throws ReflectiveOperationException {
        String name = "marginalLikelihoodsDirect";
        double[][][] ours = (double[][][]) CheckAgent.original(Likelihoods.class, name)
                .invoke(null, likelihoods, alleles, oldAlleles);
        double[][][] gatks = (double[][][]) CheckAgent.original(AlleleLikelihoods.class, name)
                .invoke(likelihoods, alleles, oldAlleles);
        synchronized (LikelihoodsCheck.class) {
            calls++;
            merged += oldAlleles.stream().anyMatch(old -> old.cardinality() > 1) ? 1 : 0;
            different += Arrays.deepEquals(ours, gatks) ? 0 : 1;
        }
        return ours;
    }

    private static boolean numbersAreEqual() {
        Random random = new Random(1);
        Map<Haplotype, Integer> ours = new HaplotypeNumbers();
        for (int round = 0; round < 200; round++) {
            Map<Haplotype, Integer> expected = new LinkedHashMap<>();
            ours.clear();
            List<Haplotype> haplotypes = new ArrayList<>();
            for (int k = 0; k < 5; k++) {
                // Some are equal, and some are put twice.
                byte[] bases = {(byte) "AC".charAt(random.nextInt(2)),
                    (byte) "AC".charAt(random.nextInt(2)), (byte) "AT".charAt(random.nextInt(2))};
                haplotypes.add(new Haplotype(bases));
                Haplotype chosen = haplotypes.get(random.nextInt(haplotypes.size()));
                ours.put(chosen, k);
                expected.put(chosen, k);
            }
            for (Haplotype haplotype : haplotypes) {
                Integer number = ours.get(haplotype);
                if (!Objects.equals(number, expected.get(haplotype))) {
                    return false;
                }
            }
        }
        return true;
    }
}
