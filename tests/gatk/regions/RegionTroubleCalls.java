package org.gklshim;

import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Random;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.exceptions.UserException;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.HaplotypeCallerEngine;
import org.broadinstitute.hellbender.utils.Utils;

/**
 * What CheckAgent has HaplotypeCaller call for a region. It sleeps at random (-Dtest.sleep=MS),
 * fails at a position (-Dtest.fail=POSITION) before the call (-Dtest.error=exception, user, memory)
 * or after it (late), or draws a number after each region with variants (-Dtest.draw=true).
 */
public final class RegionTroubleCalls {
    private RegionTroubleCalls() {}

    public static List<?> callRegion(HaplotypeCallerEngine engine, AssemblyRegion region,
            FeatureContext features, ReferenceContext reference) throws Throwable {
        int longest = Integer.getInteger("test.sleep", 0);
        if (longest > 0) {
            Thread.sleep(new Random().nextInt(longest));
        }
        int failing = Integer.getInteger("test.fail", -1);
        boolean isFailing = region.getStart() <= failing && failing <= region.getEnd();
        String error = System.getProperty("test.error");
        if (isFailing && !error.equals("late")) {
            switch (error) {
                case "memory":
                    throw new OutOfMemoryError("for the test");
                case "user":
                    throw new UserException("for the test");
                default:
                    throw new IllegalStateException("for the test");
            }
        }
        try {
            List<?> variants = (List<?>) CheckAgent.original(engine.getClass(), "callRegion")
                    .invoke(engine, region, features, reference);
            if (isFailing) {
                throw new IllegalStateException("for the test");
            }
            if (Boolean.getBoolean("test.draw") && !variants.isEmpty()) {
                Utils.getRandomGenerator().nextInt();
            }
            return variants;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
