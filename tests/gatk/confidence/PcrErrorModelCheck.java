package org.gklshim.gatk.likelihoods;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Random;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.PDPairHMMLikelihoodCalculationEngine;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.PairHMMLikelihoodCalculationEngine;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.PairHMMLikelihoodCalculationEngine.PCRErrorModel;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.ReadLikelihoodCalculationEngine;
import org.broadinstitute.hellbender.utils.pairhmm.PairHMM;
import org.gklshim.CheckAgent;

/**
 * Compares the repeats in reads with GATK's, in a run of HaplotypeCaller, and the qualities of random
 * reads. Prints what it has found at the end.
 */
public final class PcrErrorModelCheck {
    private static final String[] ALPHABETS = {"A", "AC", "AC", "ACG", "ACGT", "ACGTN", "ACGTacgtNn"};

    private static int bases;
    private static int repeated;
    private static int different;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(
                "repeats: " + bases + " bases, " + repeated + " repeated, " + different
                        + " different, " + random())));
    }

    private PcrErrorModelCheck() {}

    /** Is called in place of our method. */
    public static int repeats(byte[] read, int start, int most)
            throws ReflectiveOperationException {
        int ours = (int) CheckAgent.original(PcrErrorModel.class, "repeats")
                .invoke(null, read, start, most);
        int gatks = ReadLikelihoodCalculationEngine.findTandemRepeatUnits(read, start - 1).getRight();
        synchronized (PcrErrorModelCheck.class) {
            bases++;
            repeated += gatks > 1 ? 1 : 0;
            different += ours == gatks ? 0 : 1;
        }
        return ours;
    }

    private static String random() {
        int reads = 0;
        int changed = 0;
        int wrong = 0;
        Random random = new Random(1);
        try {
            for (PCRErrorModel model : PCRErrorModel.values()) {
                PairHMMNativeArguments settings = new PairHMMNativeArguments();
                PairHMM.Implementation pairHmm = PairHMM.Implementation.LOGLESS_CACHING;
                Object[] engines = {
                    new PairHMMLikelihoodCalculationEngine(
                            (byte) 10, null, settings, pairHmm, -3, model),
                    new PDPairHMMLikelihoodCalculationEngine((byte) 10, null, settings, pairHmm,
                            null, -3, model, (byte) 18, false, 1, 0.02, true, false, true, 10),
                };
                for (int k = 0; k < 400; k++) {
                    byte[] read = read(random);
                    byte[][] qualities = new byte[2][read.length];
                    random.nextBytes(qualities[0]);
                    Arrays.fill(qualities[1], (byte) 45);
                    byte[][] ours = limited("applyPCRErrorModel", engines[k % 2], read, qualities);
                    byte[][] gatks = limited(
                            "applyPCRErrorModel$original", engines[k % 2], read, qualities);
                    reads++;
                    changed += Arrays.deepEquals(gatks, qualities) ? 0 : 1;
                    wrong += Arrays.deepEquals(gatks, ours) ? 0 : 1;
                }
            }
        } catch (ReflectiveOperationException e) {
            return e.toString();
        }
        return reads + " random reads, " + changed + " changed, " + wrong + " different";
    }

    private static byte[] read(Random random) {
        String letters = ALPHABETS[random.nextInt(ALPHABETS.length)];
        byte[] read = new byte[random.nextInt(4) == 0 ? random.nextInt(4) : random.nextInt(120)];
        int period = 1 + random.nextInt(12);
        for (int k = 0; k < read.length; k++) {
            boolean isNew = k < period || random.nextInt(12) == 0;
            read[k] = isNew ? (byte) letters.charAt(random.nextInt(letters.length()))
                    : read[k - period];
        }
        return read;
    }

    private static byte[][] limited(String name, Object engine, byte[] read, byte[][] qualities)
            throws ReflectiveOperationException {
        Method method = engine.getClass()
                .getDeclaredMethod(name, byte[].class, byte[].class, byte[].class);
        method.setAccessible(true);
        byte[][] copy = {qualities[0].clone(), qualities[1].clone()};
        method.invoke(engine, read, copy[0], copy[1]);
        return copy;
    }
}
