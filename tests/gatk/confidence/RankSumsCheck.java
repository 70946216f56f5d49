package org.gklshim.gatk.annotations;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.broadinstitute.hellbender.utils.MannWhitneyU;
import org.broadinstitute.hellbender.utils.MannWhitneyU.TestType;
import org.gklshim.CheckAgent;

/**
 * Compares the exact rank-sum test with GATK's, to the last bit, in a run of HaplotypeCaller and for
 * random series, and counts the enumerations of permutations that GATK's test did not ask for. Prints
 * what it has found at the end.
 */
public final class RankSumsCheck {
    private static final Method OURS = CheckAgent.original(RankSums.class, "permutationTest");
    private static final Method GATKS =
            CheckAgent.original(MannWhitneyU.class, "permutationTest");
    private static final Method ENUMERATION =
            CheckAgent.original(MannWhitneyU.class, "getPermutations");
    private static final ThreadLocal<Boolean> IS_IN_GATKS = ThreadLocal.withInitial(() -> false);

    private static int tests;
    private static int different;
    private static int enumerations;
    private static final Set<Object> RESULTS = new HashSet<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(
                "rank sums: " + tests + " tests, " + different + " different, " + enumerations
                        + " enumerations, random: " + random())));
    }

    private RankSumsCheck() {}

    /** Is called in place of our method. */
    public static double permutationTest(MannWhitneyU test, double[] series1, double[] series2,
            double u) {
        Object expected = gatks(test, series1, series2, u);
        Object found = ours(test, series1, series2, u);
        synchronized (RankSumsCheck.class) {
            tests++;
            different += found.equals(expected) ? 0 : 1;
        }
        return (Double) found;
    }

    /** Is called in place of GATK's method. */
    @SuppressWarnings("unchecked")
    public static Set<List<Integer>> getPermutations(MannWhitneyU test, Integer[] labels,
            int count) throws ReflectiveOperationException {
        if (!IS_IN_GATKS.get()) {
            synchronized (RankSumsCheck.class) {
                enumerations++;
            }
        }
        return (Set<List<Integer>>) ENUMERATION.invoke(test, labels, count);
    }

    /** Compares tests of series with and without ties, and those that end with an error. */
    private static String random() {
        Random random = new Random(1);
        int wrong = 0;
        int errors = 0;
        for (int k = 0; k < 600; k++) {
            int kinds = 1 + random.nextInt(12);
            double[] series1 = series(random, kinds);
            double[] series2 = series(random, kinds);
            TestType type = TestType.values()[k % 3];
            MannWhitneyU test = new MannWhitneyU();
            double u = (type == TestType.TWO_SIDED ? test.calculateTwoSidedU(series1, series2)
                    : test.calculateOneSidedU(series1, series2, type)).getTrueU();
            Object expected = gatks(test, series1, series2, u);
            wrong += ours(test, series1, series2, u).equals(expected) ? 0 : 1;
            errors += expected instanceof String ? 1 : 0;
            RESULTS.add(expected);
        }
        return RESULTS.size() + " results, " + errors + " errors, " + wrong + " different";
    }

    private static double[] series(Random random, int kinds) {
        double[] series = new double[1 + random.nextInt(9)];
        for (int k = 0; k < series.length; k++) {
            double value = random.nextInt(kinds) / 2.0 - 1;
            double odd = new double[] {-0.0, Double.NaN, Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY}[random.nextInt(4)];
            series[k] = random.nextInt(30) == 0 ? odd : value;
        }
        return series;
    }

    /** Returns a number, or the text of an error. */
    private static Object ours(MannWhitneyU test, double[] series1, double[] series2, double u) {
        try {
            return OURS.invoke(null, test, series1.clone(), series2.clone(), u);
        } catch (ReflectiveOperationException e) {
            return text(e);
        }
    }

    private static Object gatks(MannWhitneyU test, double[] series1, double[] series2, double u) {
        IS_IN_GATKS.set(true);
        try {
            return GATKS.invoke(test, series1.clone(), series2.clone(), u);
        } catch (ReflectiveOperationException e) {
            return text(e);
        } finally {
            IS_IN_GATKS.set(false);
        }
    }

    private static String text(ReflectiveOperationException e) {
        return e instanceof InvocationTargetException ? e.getCause().toString() : "not called: " + e;
    }
}
